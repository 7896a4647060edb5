// The algorithms that the compression study compares. Their input is the bytes of a ring, see
// cases.hpp.
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
  // Encodes `input` into the front of `out`, which has room for twice the size of `input` and 64
  // KiB; returns the number of bytes written.
  virtual std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) = 0;
};

// Codecs that know the position of a record's values: memcpy (for comparison), NanoLog's
// variable-length integers, LEB128, Ringside.
std::vector<std::unique_ptr<Codec>> record_codecs(const StudyCase& which);

// Codecs that treat their input as plain bytes, if their libraries were installed at compile time.
std::vector<std::unique_ptr<Codec>> byte_codecs();

// Those too slow for a trace, which the source compares too: zlib at its highest level.
std::vector<std::unique_ptr<Codec>> slow_byte_codecs();

}  // namespace ringside::perf
