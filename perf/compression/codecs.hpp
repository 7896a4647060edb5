// The algorithms that the compression study compares. All take the bytes of a ring, see cases.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "perf/compression/cases.hpp"

namespace ringside::perf {

using Bytes = std::vector<std::byte>;

class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::string name() const = 0;
  // Encodes `input` into the front of `out`, which has room for twice as much and 64 KiB; returns
  // how many bytes that took.
  virtual std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) = 0;
};

// Those that know where a record's values are: memcpy (for comparison), NanoLog's variable-length
// integers, LEB128, Ringside.
std::vector<std::unique_ptr<Codec>> record_codecs(const StudyCase& which);

// Those that see bytes only, as far as their libraries were there at compile time.
std::vector<std::unique_ptr<Codec>> byte_codecs();

}  // namespace ringside::perf
