#pragma once
// How to connect to a NATS server.

#include <memory>
#include <string>

#include <nats/nats.h>

namespace CLI {
class App;
}

namespace ringside::fleet {

struct NatsOptions {
  std::string servers = "nats://127.0.0.1:4222";  // URLs, separated by commas
  std::string credentials_file;                   // of a user: JWT and seed; or empty
  std::string nkey_seed_file;                     // or empty
  std::string ca_file;                            // empty: the certificates of the system
  std::string certificate_file;                   // of this client; or empty
  std::string key_file;                           // of the certificate
  std::string connection_name = "ringside";       // shown in the server's list of connections
  std::string tenant = "default";                 // a token of the subjects
  int connect_timeout_ms = 5000;                  // for each server
  int request_timeout_ms = 5000;
  int ping_interval_ms = 10'000;
};

// Adds --server, --creds, --nkey, --tls-ca, --tls-cert, --tls-key, --name and --tenant. `options`
// must outlive the parsing.
void add_nats_options(CLI::App& app, NatsOptions& options);

struct NatsOptionsDestroyer {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using BuiltNatsOptions = std::unique_ptr<natsOptions, NatsOptionsDestroyer>;

// Options of the library: an established connection is restored for as long as it takes, and what
// is published meanwhile is refused instead of buffered. Null with `*why` if an option is invalid
// or a file cannot be read.
BuiltNatsOptions build_nats_options(const NatsOptions& options, std::string* why);

}  // namespace ringside::fleet
