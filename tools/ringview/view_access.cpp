#include "tools/ringview/view_access.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

namespace ringside::tool {

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
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    // A proxy before a Unix socket has a port of its own.
    if (!port_) return rest.empty() || rest.front() == ':';
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
  if (stated.starts_with(kBearer)) stated.remove_prefix(kBearer.size());
  unsigned difference = stated.size() == token_.size() ? 0 : 1;
  for (std::size_t i = 0; i < token_.size(); ++i) {
    const char c = i < stated.size() ? stated[i] : '\0';
    difference |= static_cast<unsigned char>(c ^ token_[i]);
  }
  return difference == 0 && !token_.empty();
}

}  // namespace ringside::tool
