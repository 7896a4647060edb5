// Makes the EXTENT block that consumerd's encoder makes of the same records, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/packing/column_layout.hpp"

namespace ringside::trace {

class ExtentRebuilder {
 public:
  // `sites` must outlive it, and may grow.
  explicit ExtentRebuilder(const FrameSites& sites) : sites_(sites), encoder_(sites.table()) {}

  // The block with the records of `ring`, whose sites are numbers of `sites`, and with this head.
  // Empty if the ring bytes are not exactly as many records as the head says. Valid until the next
  // call.
  std::span<const std::byte> rebuild(std::span<const std::byte> ring, const ExtentHeadValues& head);

 private:
  const FrameSites& sites_;
  ExtentEncoder encoder_;
  std::vector<std::byte> block_;
};

}  // namespace ringside::trace
