#include "tools/fleet/nats_options.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/fleet/nats_error.hpp"
#include "tools/fleet/nkey_seed.hpp"

namespace ringside::fleet {
namespace {

constexpr int kPingsWithoutAnswer = 2;
constexpr int kShortestReconnectDelayMs = 100;
constexpr int kLongestReconnectDelayMs = 10'000;
// The library replaces 0 by 8 MiB. It compares before it appends: 1 admits a single message.
constexpr int kReconnectBufferBytes = 1;

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_token(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

// The URLs of the list; empty with `*why` if one is invalid. Messages show no URL in full: it can
// contain a password.
std::vector<std::string> server_urls(const std::string& list, std::string* why) {
  std::vector<std::string> urls;
  std::string_view rest = list;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view url = without_spaces(rest.substr(0, comma));
    const std::size_t scheme_end = url.find("://");
    const std::string_view scheme =
        scheme_end == std::string_view::npos ? "nats" : url.substr(0, scheme_end);
    if (url.empty()) {
      *why = "invalid list of servers: a URL is empty; use nats://HOST:PORT,nats://HOST:PORT";
      return {};
    }
    if (scheme != "nats" && scheme != "tls") {
      *why = fmt::format(
          "invalid server URL: the scheme '{}://' is not supported; use nats:// or tls://", scheme);
      return {};
    }
    urls.emplace_back(url);
    if (comma == std::string_view::npos) return urls;
    rest.remove_prefix(comma + 1);
  }
}

bool is_readable(const std::string& path, const char* what, const char* option, std::string* why) {
  if (path.empty() || access(path.c_str(), R_OK) == 0) return true;
  *why = fmt::format("cannot read the {} '{}': {}; check the path and {}", what, path,
                     std::strerror(errno), option);  // NOLINT(concurrency-mt-unsafe)
  return false;
}

bool are_consistent(const NatsOptions& options, std::string* why) {
  if (!is_token(options.tenant)) {
    *why = fmt::format("invalid tenant '{}': use letters, digits, '-' and '_'", options.tenant);
    return false;
  }
  if (!options.credentials_file.empty() && !options.nkey_seed_file.empty()) {
    *why = "two ways to authenticate: --creds and --nkey exclude each other; omit one";
    return false;
  }
  if (options.certificate_file.empty() != options.key_file.empty()) {
    *why = "incomplete client certificate: --tls-cert and --tls-key require each other; give both";
    return false;
  }
  return is_readable(options.credentials_file, "credentials file", "--creds", why) &&
         is_readable(options.nkey_seed_file, "nkey seed file", "--nkey", why) &&
         is_readable(options.ca_file, "CA file", "--tls-ca", why) &&
         is_readable(options.certificate_file, "client certificate", "--tls-cert", why) &&
         is_readable(options.key_file, "key of the client certificate", "--tls-key", why);
}

// Doubles from round to round of the servers. The random half spreads clients that lost the same
// server.
int64_t reconnect_delay_ms(natsConnection* /*connection*/, int attempts, void* /*closure*/) {
  const int doublings = std::clamp(attempts - 1, 0, 10);
  const int longest_ms = std::min(kShortestReconnectDelayMs << doublings, kLongestReconnectDelayMs);
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_int_distribution<int>(longest_ms / 2, longest_ms)(random);
}

// Remembers the first failure, so that a list of settings reads as one.
class Settings {
 public:
  void take(const char* what, natsStatus status) {
    if (status == NATS_OK || !failure_.empty()) return;
    failure_ = fmt::format("cannot set {}: {}; check the option", what, nats_reason(status));
  }
  const std::string& failure() const { return failure_; }

 private:
  std::string failure_;
};

void set_authentication(natsOptions* built, const NatsOptions& options, const std::string& nkey,
                        Settings& settings) {
  if (!options.credentials_file.empty()) {
    settings.take("the credentials file", natsOptions_SetUserCredentialsFromFiles(
                                              built, options.credentials_file.c_str(), nullptr));
  }
  if (!nkey.empty()) {
    settings.take("the nkey",
                  natsOptions_SetNKeyFromSeed(built, nkey.c_str(), options.nkey_seed_file.c_str()));
  }
}

void set_tls(natsOptions* built, const NatsOptions& options, const std::vector<std::string>& urls,
             Settings& settings) {
  const bool is_wanted = !options.ca_file.empty() || !options.certificate_file.empty() ||
                         std::any_of(urls.begin(), urls.end(), [](const std::string& url) {
                           return url.compare(0, 6, "tls://") == 0;
                         });
  if (!is_wanted) return;
  settings.take("TLS", natsOptions_SetSecure(built, true));
  if (!options.ca_file.empty()) {
    settings.take("the CA file",
                  natsOptions_LoadCATrustedCertificates(built, options.ca_file.c_str()));
  }
  if (!options.certificate_file.empty()) {
    settings.take("the client certificate",
                  natsOptions_LoadCertificatesChain(built, options.certificate_file.c_str(),
                                                    options.key_file.c_str()));
  }
}

void set_persistence(natsOptions* built, const NatsOptions& options, Settings& settings) {
  settings.take("the connect timeout", natsOptions_SetTimeout(built, options.connect_timeout_ms));
  settings.take("the ping interval", natsOptions_SetPingInterval(built, options.ping_interval_ms));
  settings.take("the pings", natsOptions_SetMaxPingsOut(built, kPingsWithoutAnswer));
  settings.take("reconnecting", natsOptions_SetAllowReconnect(built, true));
  settings.take("reconnecting", natsOptions_SetMaxReconnect(built, -1));
  settings.take("the reconnect delay",
                natsOptions_SetCustomReconnectDelay(built, reconnect_delay_ms, nullptr));
  settings.take("the reconnect buffer",
                natsOptions_SetReconnectBufSize(built, kReconnectBufferBytes));
  settings.take("requests", natsOptions_SetFailRequestsOnDisconnect(built, true));
  // The library's flusher would wait a millisecond for further messages; a segment has one on its
  // way at a time.
  settings.take("sending", natsOptions_SetSendAsap(built, true));
  // Without it, a server that does not read would block the publisher until the pings fail.
  settings.take("the write deadline",
                natsOptions_SetWriteDeadline(built, options.request_timeout_ms));
}

}  // namespace

void add_nats_options(CLI::App& app, NatsOptions& options) {
  app.add_option("--server", options.servers,
                 "NATS servers: nats://HOST:PORT or tls://HOST:PORT, separated by commas; the "
                 "others are used when one fails")
      ->type_name("URLS")
      ->capture_default_str();
  CLI::Option* const credentials =
      app.add_option("--creds", options.credentials_file, "authenticate with this credentials file")
          ->type_name("FILE");
  app.add_option("--nkey", options.nkey_seed_file,
                 "authenticate with the nkey whose seed is in this file")
      ->type_name("FILE")
      ->excludes(credentials);
  app.add_option("--tls-ca", options.ca_file,
                 "verify the server with the CA certificates of this file; default: those of the "
                 "system")
      ->type_name("FILE");
  CLI::Option* const certificate =
      app.add_option("--tls-cert", options.certificate_file, "present this client certificate")
          ->type_name("FILE");
  CLI::Option* const key =
      app.add_option("--tls-key", options.key_file, "private key of the client certificate")
          ->type_name("FILE")
          ->needs(certificate);
  certificate->needs(key);
  app.add_option("--name", options.connection_name, "name of this connection in the server's lists")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--tenant", options.tenant,
                 "tenant that the traces belong to: letters, digits, '-' and '_'")
      ->type_name("NAME")
      ->check([](const std::string& text) {
        return is_token(text) ? std::string()
                              : "invalid tenant '" + text + "'; use letters, digits, '-' and '_'";
      })
      ->capture_default_str();
}

BuiltNatsOptions build_nats_options(const NatsOptions& options, std::string* why) {
  const std::vector<std::string> urls = server_urls(options.servers, why);
  if (urls.empty() || !are_consistent(options, why)) return nullptr;
  std::string nkey;
  if (!options.nkey_seed_file.empty()) {
    nkey = nkey_of_seed_file(options.nkey_seed_file, why);
    if (nkey.empty()) return nullptr;
  }

  natsOptions* created = nullptr;
  const natsStatus status = natsOptions_Create(&created);
  if (status != NATS_OK) {
    *why = fmt::format("cannot prepare the connection: {}; check the free memory",
                       nats_reason(status));
    return nullptr;
  }
  BuiltNatsOptions built(created);
  std::vector<const char*> servers;
  servers.reserve(urls.size());
  for (const std::string& url : urls) servers.push_back(url.c_str());
  Settings settings;
  settings.take("the servers", natsOptions_SetServers(built.get(), servers.data(),
                                                      static_cast<int>(servers.size())));
  settings.take("the name", natsOptions_SetName(built.get(), options.connection_name.c_str()));
  set_authentication(built.get(), options, nkey, settings);
  set_tls(built.get(), options, urls, settings);
  set_persistence(built.get(), options, settings);
  if (!settings.failure().empty()) {
    *why = settings.failure();
    return nullptr;
  }
  return built;
}

}  // namespace ringside::fleet
