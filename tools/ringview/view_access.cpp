#include "tools/ringview/view_access.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

namespace ringside::tool {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// RFC 9110: names of hosts and of schemes have no case.
bool starts_with_any_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

// ":8080"
bool is_port(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  return text.size() >= 2 && text.size() <= kMostDigits + 1 && text.front() == ':' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

ViewAccess::ViewAccess(std::optional<std::uint16_t> port, std::string token)
    : port_(port), token_(std::move(token)) {}

bool ViewAccess::allows_host(std::string_view host) const {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!starts_with_any_case(host, name)) continue;
    const std::string_view rest = host.substr(name.size());
    // A proxy before a Unix socket has a port of its own.
    if (!port_) return rest.empty() || is_port(rest);
    return rest == fmt::format(":{}", *port_);
  }
  return false;
}

bool ViewAccess::allows_origin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  return origin.empty() ||
         (origin.starts_with(kScheme) && allows_host(origin.substr(kScheme.size())));
}

bool ViewAccess::allows_token(std::string_view stated) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (!starts_with_any_case(stated, kBearer)) return false;
  stated.remove_prefix(kBearer.size());
  unsigned difference = stated.size() == token_.size() ? 0 : 1;
  for (std::size_t i = 0; i < token_.size(); ++i) {
    const char c = i < stated.size() ? stated[i] : '\0';
    difference |= static_cast<unsigned char>(c ^ token_[i]);
  }
  return difference == 0 && !token_.empty();
}

}  // namespace ringside::tool
