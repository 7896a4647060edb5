#include "tools/fleet/host_requests.hpp"

#include <exception>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringside::fleet {
namespace {

using nlohmann::json;

constexpr int kHostRequestVersion = 1;
constexpr std::size_t kMostHostRequestBytes = std::size_t{64} << 10;
constexpr std::size_t kMostContents = 64;

}  // namespace

std::string write_host_request(const HostRequest& request) {
  return json{{"version", kHostRequestVersion}, {"contents", request.contents}}.dump();
}

bool read_host_request(std::string_view text, HostRequest& request, std::string* why) {
  try {
    if (text.size() > kMostHostRequestBytes) throw std::length_error("it is too long");
    const json parsed = json::parse(text);
    if (parsed.at("version").get<int>() != kHostRequestVersion)
      throw std::out_of_range("its version is another one");
    request.contents = parsed.at("contents").get<std::vector<std::string>>();
    if (request.contents.size() > kMostContents) throw std::length_error("it asks for too much");
    return true;
  } catch (const std::exception& error) {
    *why = fmt::format("not a request of version {}: {}", kHostRequestVersion, error.what());
    return false;
  }
}

}  // namespace ringside::fleet
