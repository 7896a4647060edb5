#pragma once
// Who may ask ringview: only pages that it has sent itself, with the token.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::tool {

// 128 random bits as hexadecimal digits; empty if the system has none.
std::string new_token();

class ViewAccess {
 public:
  // `port`: of the loopback address; none: a Unix socket.
  ViewAccess(std::optional<std::uint16_t> port, std::string token);

  // Against DNS rebinding: a page of another site reaches this server under that site's name.
  bool allows_host(std::string_view host) const;
  // Of a request that a page makes; empty: none was stated, as by programs that are not browsers.
  bool allows_origin(std::string_view origin) const;
  // The text of an Authorization header, "Bearer TOKEN". Takes the same time for any token.
  bool allows_token(std::string_view stated) const;

 private:
  const std::optional<std::uint16_t> port_;
  const std::string token_;
};

}  // namespace ringside::tool
