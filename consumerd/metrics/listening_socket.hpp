#pragma once
// A TCP socket that accepts connections, at a numeric address: names would need a resolver.

#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

struct ListeningAddress {
  sockaddr_storage address{};
  socklen_t bytes = 0;
};

// Accepts "127.0.0.1:9465" or "[::1]:9465". Nothing if `text` has neither form.
std::optional<ListeningAddress> parse_listening_address(std::string_view text);

// On failure returns no descriptor, and `*why` has the reason.
UniqueFd listen_on(const ListeningAddress& address, std::string* why);

}  // namespace ringside::consumer
