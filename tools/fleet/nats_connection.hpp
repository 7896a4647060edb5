#pragma once
// A connection to a NATS server with JetStream.

#include <cstddef>
#include <memory>
#include <string>

#include <nats/nats.h>

#include "tools/fleet/nats_options.hpp"

namespace ringside::fleet {

inline constexpr const char* kExtentStream = "RS_EXTENTS";
inline constexpr const char* kExtentSubjects = "rs.ext.>";
inline constexpr const char* kBodySubjects = "rs.body.>";
inline constexpr const char* kDictionaryBucket = "rs_dictionaries";
inline constexpr const char* kDictionaryStream = "KV_rs_dictionaries";  // of the bucket

// Reconnects by itself. Any number of queues can use one connection, which must outlive them.
// Thread-safe.
class NatsConnection {
 public:
  // Null with `*why` if no server of the list accepts the connection now; the caller can try again.
  static std::unique_ptr<NatsConnection> open(const NatsOptions& options, std::string* why);
  // Sends what is published, for `request_timeout_ms` at the latest, and closes.
  ~NatsConnection();
  NatsConnection(const NatsConnection&) = delete;
  NatsConnection& operator=(const NatsConnection&) = delete;

  bool is_connected() const;
  // For ever: a server rejected the credentials twice while reconnecting. Open another one.
  bool is_closed() const;
  // False if there is no connection after `timeout_ms`.
  bool wait_until_connected(int timeout_ms) const;
  // Why there is none; for messages.
  std::string state() const;
  // What the server does not permit the user, if that is its last error; else empty.
  std::string violation() const;

  // The server's limit for a payload, less what the headers of a message need.
  std::size_t most_payload_bytes() const;

  // Valid until destruction.
  natsConnection* handle() const { return connection_; }
  jsCtx* jetstream() const { return jetstream_; }
  int request_timeout_ms() const { return request_timeout_ms_; }

 private:
  explicit NatsConnection(int request_timeout_ms) : request_timeout_ms_(request_timeout_ms) {}

  int request_timeout_ms_;
  natsConnection* connection_ = nullptr;
  jsCtx* jetstream_ = nullptr;
};

}  // namespace ringside::fleet
