#include "tools/fleet/clickhouse_client.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>

#include <CLI/CLI.hpp>
#include <curl/curl.h>
#include <fmt/format.h>

namespace ringside::fleet {
namespace {

constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 20;
constexpr std::size_t kMostReasonBytes = 500;

// The body of a request, from memory of the caller.
struct RequestBody {
  std::span<const std::string_view> pieces;
  std::size_t piece = 0;
  std::size_t at = 0;

  static std::size_t read(char* to, std::size_t size, std::size_t count, void* self) {
    auto& body = *static_cast<RequestBody*>(self);
    const std::size_t room = size * count;
    std::size_t used = 0;
    while (used < room && body.piece < body.pieces.size()) {
      const std::string_view rest = body.pieces[body.piece].substr(body.at);
      const std::size_t bytes = std::min(rest.size(), room - used);
      if (bytes != 0) std::memcpy(to + used, rest.data(), bytes);
      used += bytes;
      body.at += bytes;
      if (bytes == rest.size()) ++body.piece, body.at = 0;
    }
    return used;
  }

  // curl sends again what a connection lost that the server had closed meanwhile.
  static int rewind(void* self, curl_off_t offset, int origin) {
    if (offset != 0 || origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
    auto& body = *static_cast<RequestBody*>(self);
    body.piece = body.at = 0;
    return CURL_SEEKFUNC_OK;
  }
};

std::size_t receive(char* from, std::size_t size, std::size_t count, void* to) {
  auto& answer = *static_cast<std::string*>(to);
  if (answer.size() + size * count > kMostAnswerBytes) return 0;
  answer.append(from, size * count);
  return size * count;
}

int report_progress(void* is_cancelled, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return *static_cast<const std::atomic<bool>*>(is_cancelled) ? 1 : 0;
}

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kMostReasonBytes));
}

bool read_password(const std::string& path, std::string& password, std::string* why) {
  std::ifstream file(path);
  if (std::getline(file, password)) return true;
  *why = path +
         ": cannot read the password of ClickHouse; give a readable file with the password in its "
         "first line to --clickhouse-password-file";
  return false;
}

// It is part of statements.
bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

struct ClickHouseClient::Curl {
  CURL* handle = curl_easy_init();
  curl_slist* headers = nullptr;
  char error[CURL_ERROR_SIZE] = {};

  Curl() = default;
  ~Curl() {
    curl_slist_free_all(headers);
    curl_easy_cleanup(handle);
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  std::string escaped(const std::string& text) const {
    char* const made = curl_easy_escape(handle, text.data(), static_cast<int>(text.size()));
    std::string result = made == nullptr ? "" : made;
    curl_free(made);
    return result;
  }
};

void add_clickhouse_options(CLI::App& app, ClickHouseOptions& options) {
  app.add_option("--clickhouse", options.url,
                 "insert into this ClickHouse server: http://HOST:8123 or https://")
      ->type_name("URL");
  app.add_option("--clickhouse-database", options.database,
                 "database of the tables; ringsink init creates it")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--clickhouse-user", options.user,
                 "user of ClickHouse; default: that of the server")
      ->type_name("NAME");
  app.add_option("--clickhouse-password-file", options.password_file,
                 "read the password of this user from the first line of this file")
      ->type_name("FILE");
  app.add_option("--clickhouse-ca", options.ca_file,
                 "verify an https server with the CA certificates of this file; default: those of "
                 "the system")
      ->type_name("FILE");
  app.add_option("--clickhouse-timeout-ms", options.request_timeout_ms,
                 "fail a request that takes longer")
      ->type_name("MS")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

ClickHouseClient::ClickHouseClient(const ClickHouseOptions& options)
    : options_(options), curl_(std::make_unique<Curl>()) {}

ClickHouseClient::~ClickHouseClient() = default;

std::unique_ptr<ClickHouseClient> ClickHouseClient::open(const ClickHouseOptions& options,
                                                         std::string* why) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (!options.url.starts_with("http://") && !options.url.starts_with("https://")) {
    *why = fmt::format("invalid URL of ClickHouse '{}'; use http://HOST:8123", options.url);
    return nullptr;
  }
  if (!is_name(options.database)) {
    *why = fmt::format("invalid name of a database '{}'; use letters, digits and '_'",
                       options.database);
    return nullptr;
  }
  std::string password;
  if (!options.password_file.empty() && !read_password(options.password_file, password, why))
    return nullptr;
  std::unique_ptr<ClickHouseClient> client(new ClickHouseClient(options));
  CURL* const curl = client->curl_->handle;
  if (initialised != CURLE_OK || curl == nullptr) {
    *why = "cannot initialise libcurl; check the free memory, and install libcurl again";
    return nullptr;
  }
  Curl& state = *client->curl_;
  // Without it, a large body waits for a permission.
  state.headers = curl_slist_append(nullptr, "Expect:");
  state.headers = curl_slist_append(state.headers, "Content-Type: application/octet-stream");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, state.headers);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, state.error);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, 2L << 20);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, long{options.connect_timeout_ms});
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, long{options.request_timeout_ms});
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, RequestBody::read);
  curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, RequestBody::rewind);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, report_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &client->is_cancelled_);
  if (!options.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, options.ca_file.c_str());
  if (!options.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERNAME, options.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, password.c_str());
  }
  return client;
}

ClickHouseAnswer ClickHouseClient::request(const Settings& parameters,
                                           std::span<const std::string_view> pieces) {
  CURL* const curl = curl_->handle;
  std::string url = options_.url;
  while (url.ends_with('/')) url.pop_back();
  // Without wait_end_of_query, an error can come after the status 200.
  url += "/?wait_end_of_query=1";
  for (const auto& [name, value] : parameters)
    url += fmt::format("&{}={}", curl_->escaped(name), curl_->escaped(value));
  RequestBody body{pieces};
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  ClickHouseAnswer answer;
  curl_->error[0] = '\0';
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes));
  curl_easy_setopt(curl, CURLOPT_READDATA, &body);
  curl_easy_setopt(curl, CURLOPT_SEEKDATA, &body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    const char* const reason = curl_->error[0] != '\0' ? curl_->error : curl_easy_strerror(code);
    answer.why = fmt::format(
        "no answer of ClickHouse at {}: {}; check --clickhouse, and that the server is running",
        options_.url, reason);
    return answer;
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) {
    answer.status = ClickHouseAnswer::Status::kOk;
    return answer;
  }
  constexpr long kTooManyRequests = 429;
  const bool is_final = status < 500 && status != kTooManyRequests;
  answer.status = is_final ? ClickHouseAnswer::Status::kRefused : ClickHouseAnswer::Status::kFailed;
  answer.why =
      fmt::format("ClickHouse at {} answers {}: {}", options_.url, status, first_line(answer.body));
  return answer;
}

ClickHouseAnswer ClickHouseClient::query(const std::string& sql, bool is_in_database) {
  Settings parameters;
  if (is_in_database) parameters.emplace_back("database", options_.database);
  const std::string_view piece = sql;
  return request(parameters, {&piece, 1});
}

ClickHouseAnswer ClickHouseClient::insert(const std::string& sql, const Settings& settings,
                                          std::span<const std::string_view> pieces) {
  Settings parameters = settings;
  parameters.emplace_back("database", options_.database);
  parameters.emplace_back("query", sql);
  return request(parameters, pieces);
}

}  // namespace ringside::fleet
