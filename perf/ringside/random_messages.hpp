#pragma once
// The six messages with arguments that change from call to call and have similar magnitudes: as
// many significant bits as the constant arguments, 1 to 2 times the double, a text of the same
// length.

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <ringside/ringside.hpp>

#include "perf/harness/messages.hpp"

namespace ringside::perf {

class RandomMessages {
 public:
  RandomMessages() : values_(kValues) {
    std::mt19937_64 any(7);
    const auto number = [&any](unsigned bits) {
      const std::uint32_t top = 1U << (bits - 1);
      return top | static_cast<std::uint32_t>(any() % top);
    };
    for (Values& v : values_) {
      v.integer = static_cast<int>(number(8));
      v.first = number(20);
      v.second = number(20);
      v.ratio = 0.4 * (1 + static_cast<double>(any() >> 11) * 0x1p-53);
      v.five = {number(16), number(7), number(6), number(6)};
      v.ms = 26.2 * (1 + static_cast<double>(any() >> 11) * 0x1p-53);
      for (std::size_t i = 0; i < 39; ++i) v.text[i] = static_cast<char>('a' + any() % 26);
      v.text[39] = '\0';
    }
  }

  template <Case C>
  void call(int i) const {
    const Values& v = values_[static_cast<std::size_t>(i) % kValues];
    if constexpr (C == Case::static_text) {
      RS_INFO("Starting backup replica garbage collector thread");
    } else if constexpr (C == Case::string39) {
      RS_INFO("Opened session with coordinator at %s", v.text.data());
    } else if constexpr (C == Case::integer) {
      RS_INFO("Backup storage speeds (min): %d MB/s read", v.integer);
    } else if constexpr (C == Case::two_integers) {
      RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
              v.first, v.second);
    } else if constexpr (C == Case::floating) {
      RS_INFO("Using tombstone ratio balancer with ratio = %0.6lf", v.ratio);
    } else {
      RS_INFO(
          "Initialized InfUdDriver buffers: %u receive buffers (%u MB), %u transmit buffers "
          "(%u MB), took %0.1lf ms",
          v.five[0], v.five[1], v.five[2], v.five[3], v.ms);
    }
  }

 private:
  struct Values {
    int integer = 0;
    unsigned first = 0;
    unsigned second = 0;
    double ratio = 0;
    std::array<unsigned, 4> five{};
    double ms = 0;
    std::array<char, 40> text{};
  };
  // More than the encoder remembers, but few enough to stay in the cache.
  static constexpr std::size_t kValues = 4096;
  std::vector<Values> values_;
};

}  // namespace ringside::perf
