#pragma once
// Requests to a ClickHouse server over HTTP.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace ringside::fleet {

struct ClickHouseOptions {
  std::string url;  // http://HOST:8123 or https://HOST:8443; empty: none
  std::string database = "ringside";
  std::string user;
  std::string password_file;  // its first line; or empty
  std::string ca_file;        // empty: the certificates of the system
  int connect_timeout_ms = 5000;
  int request_timeout_ms = 300'000;
};

// Adds --clickhouse and --clickhouse-...; `options` must outlive the parsing.
void add_clickhouse_options(CLI::App& app, ClickHouseOptions& options);

struct ClickHouseAnswer {
  enum class Status : std::uint8_t {
    kOk,
    kRefused,  // by the server, for what it is: the same request fails again
    kFailed,   // it may have been executed or not; may succeed later
  };
  Status status = Status::kFailed;
  std::string body;  // with kOk
  std::string why;   // else

  bool is_ok() const { return status == Status::kOk; }
};

// One connection, which is kept. Not thread-safe.
class ClickHouseClient {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  // Null with `*why` if an option is invalid. Connects at the first request.
  static std::unique_ptr<ClickHouseClient> open(const ClickHouseOptions& options, std::string* why);
  ~ClickHouseClient();
  ClickHouseClient(const ClickHouseClient&) = delete;
  ClickHouseClient& operator=(const ClickHouseClient&) = delete;

  // Ends the present request and later ones; any thread may call it.
  void cancel() { is_cancelled_ = true; }

  // `is_in_database` false: also if the database does not exist.
  ClickHouseAnswer query(const std::string& sql, bool is_in_database = true);
  // The body is the pieces, one after another.
  ClickHouseAnswer insert(const std::string& sql, const Settings& settings,
                          std::span<const std::string_view> pieces);

 private:
  struct Curl;

  explicit ClickHouseClient(const ClickHouseOptions& options);
  ClickHouseAnswer request(const Settings& parameters, std::span<const std::string_view> pieces);

  const ClickHouseOptions options_;
  std::unique_ptr<Curl> curl_;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace ringside::fleet
