#include "tools/fleet/nats_connection.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"

namespace ringside::fleet {
namespace {

constexpr std::chrono::milliseconds kStatePoll{20};
// Conditions and ids; the server's limit is for them too.
constexpr std::int64_t kHeaderReserveBytes = 1024;
constexpr std::int64_t kDefaultPayloadBytes = std::int64_t{1} << 20;  // of nats-server

std::string remedy(natsStatus status, const NatsOptions& options) {
  switch (status) {
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_NOT_PERMITTED:
      return "check the user and password of --server, --creds or --nkey, and the permissions of "
             "the "
             "user";
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_REQUIRED:
    case NATS_SECURE_CONNECTION_WANTED:
      return "check the scheme of --server, --tls-ca, --tls-cert and --tls-key";
    default:
      break;
  }
  std::string text = "check --server, and that nats-server is running there";
  if (!options.credentials_file.empty()) text += ", and the file of --creds";
  // With TLS 1.3, the server only closes the connection of a client whose certificate it refuses.
  if (options.servers.find("tls://") != std::string::npos || !options.ca_file.empty())
    text += ", and that it accepts the certificate of --tls-cert";
  return text;
}

// Without user names and passwords.
std::string servers_to_show(const std::string& list) {
  std::string shown;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    std::string url = list.substr(begin, comma - begin);
    const std::size_t at = url.rfind('@');
    const std::size_t scheme = url.find("://");
    if (at != std::string::npos) {
      const std::size_t secret = scheme == std::string::npos ? 0 : scheme + 3;
      url.erase(secret, at + 1 - secret);
    }
    shown += shown.empty() ? url : "," + url;
    begin = comma + 1;
  }
  return shown;
}

}  // namespace

std::unique_ptr<NatsConnection> NatsConnection::open(const NatsOptions& options, std::string* why) {
  const BuiltNatsOptions built = build_nats_options(options, why);
  if (built == nullptr) return nullptr;
  std::unique_ptr<NatsConnection> opened(new NatsConnection(options.request_timeout_ms));
  natsStatus status = natsConnection_Connect(&opened->connection_, built.get());
  if (status != NATS_OK) {
    *why = fmt::format("cannot connect to {}: {}; {}", servers_to_show(options.servers),
                       nats_reason(status), remedy(status, options));
    return nullptr;
  }
  jsOptions settings;
  jsOptions_Init(&settings);
  settings.Wait = options.request_timeout_ms;
  status = natsConnection_JetStream(&opened->jetstream_, opened->connection_, &settings);
  if (status != NATS_OK) {
    *why = fmt::format("cannot use JetStream of {}: {}; check the free memory",
                       servers_to_show(options.servers), nats_reason(status));
    return nullptr;
  }
  return opened;
}

NatsConnection::~NatsConnection() {
  // Closing alone can reset the connection, with data that the server has not read yet.
  if (connection_ != nullptr && is_connected()) {
    natsConnection_FlushTimeout(connection_, request_timeout_ms_);
  }
  jsCtx_Destroy(jetstream_);
  natsConnection_Destroy(connection_);
}

bool NatsConnection::is_connected() const {
  return natsConnection_Status(connection_) == NATS_CONN_STATUS_CONNECTED;
}

bool NatsConnection::is_closed() const {
  return natsConnection_IsClosed(connection_);
}

bool NatsConnection::wait_until_connected(int timeout_ms) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (!is_connected()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kStatePoll);
  }
  return true;
}

std::size_t NatsConnection::most_payload_bytes() const {
  const std::int64_t limit = natsConnection_GetMaxPayload(connection_);
  if (limit <= 0) return kDefaultPayloadBytes - kHeaderReserveBytes;
  return static_cast<std::size_t>(std::max<std::int64_t>(limit - kHeaderReserveBytes, 1));
}

std::string NatsConnection::violation() const {
  const char* last = nullptr;
  const natsStatus status = natsConnection_GetLastError(connection_, &last);
  return status == NATS_NOT_PERMITTED && last != nullptr ? last : "";
}

std::string NatsConnection::state() const {
  if (is_connected()) return "connected to the server";
  const char* last = nullptr;
  const natsStatus status = natsConnection_GetLastError(connection_, &last);
  const std::string detail =
      status == NATS_OK || last == nullptr || *last == '\0' ? "" : fmt::format(" ({})", last);
  if (is_closed()) {
    return "the server closed the connection" + detail +
           "; check --creds, --nkey or the password of --server";
  }
  return "not connected to a server, reconnecting" + detail + "; check that nats-server is running";
}

}  // namespace ringside::fleet
