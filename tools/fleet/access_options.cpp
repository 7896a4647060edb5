#include "tools/fleet/access_options.hpp"

#include <CLI/CLI.hpp>

namespace ringside::fleet {

void add_access_options(CLI::App& app, ServerAccess& access, const std::string& group) {
  const auto add_file = [&](const char* name, std::string& value, const char* help) {
    return app.add_option(name, value, help)->type_name("FILE")->group(group);
  };
  CLI::Option* const credentials =
      add_file("--creds", access.credentials_file, "authenticate with this credentials file");
  add_file("--nkey", access.nkey_seed_file, "authenticate with the nkey whose seed is in this file")
      ->excludes(credentials);
  add_file("--tls-ca", access.ca_file, "verify the server with the CA certificates of this file");
  CLI::Option* const certificate =
      add_file("--tls-cert", access.certificate_file, "present this client certificate");
  CLI::Option* const key =
      add_file("--tls-key", access.key_file, "private key of the client certificate")
          ->needs(certificate);
  certificate->needs(key);
  app.add_option("--tenant", access.tenant, "tenant that the traces belong to")
      ->type_name("NAME")
      ->group(group)
      ->capture_default_str();
}

}  // namespace ringside::fleet
