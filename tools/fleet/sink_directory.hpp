#pragma once
// The directory of a file sink: one process, and one durable consumer (README.md, "Several sinks").

#include <cstdint>
#include <optional>
#include <string>

#include "tools/fleet/nats_connection.hpp"

namespace ringside::fleet {

// Locked until destruction.
class SinkDirectory {
 public:
  // Creates the directory. Empty with `*why` if it cannot be used, or if another process uses it.
  static std::optional<SinkDirectory> open(const std::string& path, std::string* why);
  ~SinkDirectory();
  SinkDirectory(SinkDirectory&& other) noexcept;
  SinkDirectory& operator=(SinkDirectory&&) = delete;
  SinkDirectory(const SinkDirectory&) = delete;
  SinkDirectory& operator=(const SinkDirectory&) = delete;

  enum class Claim : std::uint8_t {
    kYes,
    kOther,   // the consumer has another directory
    kNotNow,  // no answer of the server
  };
  // Makes this the directory of the durable consumer, for ever; with `takes_over`, instead of
  // another one. `*why` if it is not.
  Claim claim(NatsConnection& connection, const std::string& consumer, bool takes_over,
              std::string* why) const;

 private:
  SinkDirectory(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  bool read_identity(std::string* why);

  std::string path_;
  int fd_;
  std::string identity_;
};

}  // namespace ringside::fleet
