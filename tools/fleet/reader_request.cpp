#include "tools/fleet/reader_request.hpp"

#include <nlohmann/json.hpp>

namespace ringside::fleet {

std::string write_reader_request(const ReaderRequest& request) {
  const ServerAccess& access = request.access;
  const nlohmann::json json = {
      {"what", static_cast<int>(request.what)},
      {"servers", access.servers},
      {"creds", access.credentials_file},
      {"nkey", access.nkey_seed_file},
      {"tls_ca", access.ca_file},
      {"tls_cert", access.certificate_file},
      {"tls_key", access.key_file},
      {"tenant", access.tenant},
      {"host", request.host},
      {"service", request.service},
      {"snapshot", request.snapshot},
      {"begin", static_cast<int>(request.begin)},
      {"begin_ns", request.begin_ns},
      {"follows", request.follows},
      {"most_bytes", request.most_bytes},
      {"interval_ms", request.interval_ms},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool read_reader_request(std::string_view line, ReaderRequest& request) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    const auto take = [&json](const char* name, auto& value) { json.at(name).get_to(value); };
    int what = 0;
    int begin = 0;
    take("what", what);
    take("begin", begin);
    if (what < 0 || what > static_cast<int>(ReaderRequest::What::kStatus)) return false;
    if (begin < 0 || begin > static_cast<int>(ReaderRequest::Begin::kTime)) return false;
    request.what = static_cast<ReaderRequest::What>(what);
    request.begin = static_cast<ReaderRequest::Begin>(begin);
    take("servers", request.access.servers);
    take("creds", request.access.credentials_file);
    take("nkey", request.access.nkey_seed_file);
    take("tls_ca", request.access.ca_file);
    take("tls_cert", request.access.certificate_file);
    take("tls_key", request.access.key_file);
    take("tenant", request.access.tenant);
    take("host", request.host);
    take("service", request.service);
    take("snapshot", request.snapshot);
    take("begin_ns", request.begin_ns);
    take("follows", request.follows);
    take("most_bytes", request.most_bytes);
    take("interval_ms", request.interval_ms);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace ringside::fleet
