#pragma once
// A TCP socket that others can connect to, by an address in numbers: names would have to be looked
// up.

#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "consumerd/unique_fd.hpp"

namespace ringside::consumer {

struct ListeningAddress {
  sockaddr_storage address{};
  socklen_t bytes = 0;
};

// "127.0.0.1:9465" or "[::1]:9465". Nothing if `text` is neither.
std::optional<ListeningAddress> parse_listening_address(std::string_view text);

// Without a descriptor `*why` says what is wrong.
UniqueFd listen_on(const ListeningAddress& address, std::string* why);

}  // namespace ringside::consumer
