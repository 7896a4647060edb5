#include "tools/fleet/fleet_address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tools/fleet/subject_part.hpp"

namespace ringside::fleet {
namespace {

constexpr std::array<std::string_view, 2> kSchemes = {"nats://", "tls://"};
constexpr std::string_view kSnapshot = "snapshot=";

std::string_view scheme_with_slashes(std::string_view text) {
  for (const std::string_view scheme : kSchemes) {
    if (text.starts_with(scheme)) return scheme;
  }
  return {};
}

// One part of the path; "*" is all.
std::string taken_part(std::string_view& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string part(rest.substr(0, slash));
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  return part == "*" ? std::string() : part;
}

}  // namespace

bool is_fleet_address(std::string_view text) {
  return !scheme_with_slashes(text).empty();
}

std::string shown_fleet_address(std::string_view text) {
  const std::string_view scheme = scheme_with_slashes(text);
  std::string_view rest = text.substr(scheme.size());
  const std::size_t end = std::min(rest.find('/'), rest.size());
  std::string shown(scheme);
  for (std::string_view servers = rest.substr(0, end); !servers.empty();) {
    const std::size_t comma = std::min(servers.find(','), servers.size());
    const std::string_view server = servers.substr(0, comma);
    const std::size_t at = server.rfind('@');
    if (shown.size() > scheme.size()) shown += ',';
    shown += at == std::string_view::npos ? server : server.substr(at + 1);
    servers.remove_prefix(std::min(comma + 1, servers.size()));
  }
  return shown + std::string(rest.substr(end));
}

bool parse_fleet_address(std::string_view text, FleetAddress& address, std::string* why) {
  const auto refuse = [&](const char* reason) {
    *why = shown_fleet_address(text) + ": " + reason +
           "; use nats://SERVER[:PORT][/HOST[/SERVICE]][?snapshot=ID]";
    return false;
  };
  const std::string_view scheme = scheme_with_slashes(text);
  std::string_view rest = text.substr(scheme.size());
  // A password can contain '?'.
  const std::size_t at = rest.substr(0, rest.find('/')).rfind('@');
  const std::size_t begin = at == std::string_view::npos ? 0 : at;
  const std::size_t end = std::min(rest.find_first_of("/?", begin), rest.size());
  std::string_view servers = rest.substr(0, end);
  rest.remove_prefix(end);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  address = {};
  while (true) {
    const std::size_t comma = std::min(servers.find(','), servers.size());
    if (comma == 0) return refuse("the name of a server is missing");
    if (!address.servers.empty()) address.servers += ',';
    address.servers += scheme;
    address.servers += servers.substr(0, comma);
    if (comma == servers.size()) break;
    servers.remove_prefix(comma + 1);
  }
  if (const std::size_t question = rest.find('?'); question != std::string_view::npos) {
    const std::string_view query = rest.substr(question + 1);
    rest = rest.substr(0, question);
    if (query.starts_with(kSnapshot)) address.snapshot = query.substr(kSnapshot.size());
    if (address.snapshot.empty() || subject_part(address.snapshot) != address.snapshot)
      return refuse("it does not name a snapshot after '?'");
  }
  address.host = taken_part(rest);
  address.service = taken_part(rest);
  return rest.empty() || refuse("it has more parts than a host and a service");
}

}  // namespace ringside::fleet
