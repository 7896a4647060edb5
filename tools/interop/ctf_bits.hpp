#pragma once
// Reads numbers at any bit of a packet.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ringside::tool::ctf {

// Places are bits from the packet's begin, as alignment counts from there. What is at hand of the
// packet may begin later.
class BitReader {
 public:
  // `bytes` of the packet from byte `first` on; what lies at bit `end` or behind is not read.
  void open(std::span<const std::byte> bytes, std::uint64_t first, std::uint64_t end_bit) {
    bytes_ = bytes.data();
    first_bit_ = first * 8;
    const std::uint64_t held = first_bit_ + std::uint64_t{bytes.size()} * 8;
    end_ = held < end_bit ? held : end_bit;
  }

  void go_to(std::uint64_t bit) { at_ = bit; }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return at_ < end_ ? end_ - at_ : 0; }

  void align(std::uint32_t bits) { at_ = (at_ + bits - 1) & ~std::uint64_t{bits - 1}; }

  // At a whole byte: the next ones.
  const std::byte* here() const { return bytes_ + (at_ - first_bit_) / 8; }
  void pass(std::uint64_t bits) { at_ += bits; }

  // 1 to 64 bits. False where the packet does not have them.
  bool read(std::uint32_t bits, bool big_endian, std::uint64_t& number) {
    if (left() < bits) return false;
    if (at_ % 8 != 0 || bits % 8 != 0) return read_odd(bits, big_endian, number);
    const std::byte* const p = here();
    at_ += bits;
    switch (bits) {
      case 8:
        number = static_cast<std::uint8_t>(*p);
        return true;
      case 16:
        number = load<std::uint16_t>(p);
        if (big_endian) number = __builtin_bswap16(static_cast<std::uint16_t>(number));
        return true;
      case 32:
        number = load<std::uint32_t>(p);
        if (big_endian) number = __builtin_bswap32(static_cast<std::uint32_t>(number));
        return true;
      case 64:
        number = load<std::uint64_t>(p);
        if (big_endian) number = __builtin_bswap64(number);
        return true;
      default:
        at_ -= bits;
        return read_odd(bits, big_endian, number);
    }
  }

 private:
  template <class Number>
  static Number load(const std::byte* p) {
    Number number;
    std::memcpy(&number, p, sizeof number);
    return number;
  }

  // Little-endian fields fill bytes from their lowest bit up, big-endian ones from their highest
  // down.
  bool read_odd(std::uint32_t bits, bool big_endian, std::uint64_t& number) {
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
};

}  // namespace ringside::tool::ctf
