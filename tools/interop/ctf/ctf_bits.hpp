#pragma once
// Reads numbers at any bit of a packet.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ringside::tool::ctf {

// The low `bits` bits (1 to 64) of a number.
constexpr std::uint64_t low_bits(std::uint32_t bits) {
  return UINT64_MAX >> ((64 - bits) % 64);
}

// Positions are bits from the packet's begin, because alignment counts from there. The bytes in
// memory can begin later in the packet.
class BitReader {
 public:
  // `bytes` of the packet from byte `first` on; bits at `end` or later are not read.
  void open(std::span<const std::byte> bytes, std::uint64_t first, std::uint64_t end_bit) {
    bytes_ = bytes.data();
    first_bit_ = first * 8;
    const std::uint64_t held = first_bit_ + std::uint64_t{bytes.size()} * 8;
    end_ = held < end_bit ? held : end_bit;
    // After this position 8 bytes can no longer be loaded at once.
    last_load_ = bytes.size() < 8 ? 0 : held - 64;
    has_loads_ = bytes.size() >= 8;
  }

  void go_to(std::uint64_t bit) { at_ = bit; }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return at_ < end_ ? end_ - at_ : 0; }

  void align(std::uint32_t bits) { at_ = (at_ + bits - 1) & ~std::uint64_t{bits - 1}; }

  // The next bytes; the position must be a whole byte.
  const std::byte* here() const { return bytes_ + (at_ - first_bit_) / 8; }
  void pass(std::uint64_t bits) { at_ += bits; }

  // Whether the position is a whole byte, this many bytes follow, and 8 can be loaded at each of
  // them.
  bool has_straight(std::uint64_t bytes) const {
    return at_ % 8 == 0 && has_loads_ && at_ + bytes * 8 <= last_load_ + 8 && bytes * 8 <= left();
  }

  // Loads the next 64 bits without moving on; the position must be a whole byte. False if fewer
  // remain.
  bool load(std::uint64_t& number) const {
    if (left() < 64 || !has_loads_ || at_ > last_load_) return false;
    std::memcpy(&number, here(), sizeof number);
    return true;
  }

  // Reads 1 to 64 bits. False if the packet does not have them.
  [[gnu::always_inline]] bool read(std::uint32_t bits, bool big_endian, std::uint64_t& number) {
    if (left() < bits) return false;
    const auto used = static_cast<std::uint32_t>(at_ % 8);
    if (at_ > last_load_ || !has_loads_ || used + bits > 64) [[unlikely]]
      return read_bytes(bits, big_endian, number);
    std::uint64_t loaded = 0;
    std::memcpy(&loaded, here(), sizeof loaded);
    number = big_endian ? __builtin_bswap64(loaded) << used >> ((64 - bits) % 64)
                        : (loaded >> used) & low_bits(bits);
    at_ += bits;
    return true;
  }

 private:
  // Little-endian fields fill bytes from the lowest bit up, big-endian fields from the highest bit
  // down.
  bool read_bytes(std::uint32_t bits, bool big_endian, std::uint64_t& number) {
    number = 0;
    for (std::uint32_t done = 0; done < bits;) {
      const auto byte = static_cast<std::uint8_t>(*here());
      const auto used = static_cast<std::uint32_t>(at_ % 8);
      const std::uint32_t step = bits - done < 8 - used ? bits - done : 8 - used;
      const std::uint64_t mask = (1U << step) - 1;
      if (big_endian) {
        number = number << step | ((byte >> (8 - used - step)) & mask);
      } else {
        number |= ((byte >> used) & mask) << done;
      }
      at_ += step;
      done += step;
    }
    return true;
  }

  const std::byte* bytes_ = nullptr;
  std::uint64_t first_bit_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t last_load_ = 0;
  bool has_loads_ = false;
};

}  // namespace ringside::tool::ctf
