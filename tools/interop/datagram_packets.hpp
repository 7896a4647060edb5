#pragma once
// What the sender of datagrams must know about the packets of a format.

#include <cstddef>

namespace ringside::tool {

struct PacketFacts {
  std::size_t bytes = 0;
  // Receivers need it to interpret others: it is sent again from time to time, because a datagram
  // can be lost and a receiver can start late.
  bool is_repeated = false;
};

}  // namespace ringside::tool
