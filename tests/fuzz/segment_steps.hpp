// The inputs of the segment target: the bytes of a segment, and what other processes do to it while
// it is read. Any bytes are a valid input.
//
//     u8  how      kKilled: a consumerd dies with what it drained, and the next one finishes it
//     then steps   u32 line, u16 bytes, u8 when, u8 kind; then this number of bytes (little endian)
//
// `line` counts units of 64 bytes of the file. Step kTruncate cuts the file there; any other step
// writes the bytes there. Steps happen before poll number `when`, those with 0 before the first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ringside::fuzz {

inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr std::uint8_t kKilled = 1;  // a bit of `how`
inline constexpr std::uint8_t kTruncate = 0xCC;
inline constexpr unsigned kLooks = 4;

struct StepHead {
  std::uint32_t line = 0;
  std::uint16_t bytes = 0;
  std::uint8_t when = 0;
  std::uint8_t kind = 0;
};
static_assert(sizeof(StepHead) == 8);

// Calls visit(head, its bytes) for each step; the last one can have fewer bytes than it states.
template <class Byte, class Visit>
void for_each_step(std::span<Byte> steps, Visit&& visit) {
  while (steps.size() >= sizeof(StepHead)) {
    StepHead head;
    std::memcpy(&head, steps.data(), sizeof head);
    steps = steps.subspan(sizeof head);
    const std::size_t bytes = std::min<std::size_t>(head.bytes, steps.size());
    visit(head, steps.first(bytes));
    steps = steps.subspan(bytes);
  }
}

}  // namespace ringside::fuzz
