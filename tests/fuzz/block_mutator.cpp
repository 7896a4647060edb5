// A mutated trace would fail at its checksums: this mutator usually recomputes them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/crc32c.hpp"
#include "trace-format/blocks/little_endian.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace ringside::trace;

// Every eighth mutation stays damaged.
constexpr unsigned kDamagedOneIn = 8;

void mend_checksums(std::span<std::byte> bytes) {
  while (bytes.size() >= kBlockHeaderBytes) {
    BlockFrame frame;
    if (!parse_block_frame(bytes, frame) || frame.block_bytes() > bytes.size()) {
      bytes = bytes.subspan(1);
      continue;
    }
    const std::span<const std::byte> block = bytes.first(frame.block_bytes());
    std::uint32_t crc = crc32c(0, block.first(12));
    crc = crc32c(crc, block.subspan(kBlockHeaderBytes));
    store(bytes.data() + 12, crc);
    bytes = bytes.subspan(frame.block_bytes());
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % kDamagedOneIn != 0) mend_checksums(std::as_writable_bytes(std::span(data, size)));
  return size;
}
