// Walks the blocks of a file (or of one section of it) and finds its way again after damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace-format/block_frame.hpp"
#include "trace-format/read_report.hpp"
#include "trace-format/trace_file.hpp"

namespace ringside::trace {

struct Block {
  BlockFrame frame;
  std::uint64_t offset = 0;            // of its header in the file
  std::span<const std::byte> payload;  // valid until the reader's next call
};

class BlockReader {
 public:
  // Blocks in [begin, end) of `file`, which must outlive the reader, as must `report` (null:
  // damage is skipped silently).
  BlockReader(TraceFile& file, std::uint64_t begin, std::uint64_t end, ReadReport* report);

  // The next block with a right CRC; false at the end.
  bool next(Block& block);

  // Its header and the first bytes of its payload (at most `payload_bytes`), unchecked: for a
  // quick look over a file. Damage that shows in the headers is skipped like in next(). Not to be
  // mixed with next().
  bool next_header(Block& block, std::size_t payload_bytes);

  // The whole block at `offset` if it is sound; does not move position().
  bool read_at(std::uint64_t offset, Block& block);

  std::uint64_t position() const { return position_; }
  std::uint64_t end() const { return end_; }
  void set_end(std::uint64_t end);
  void set_range(std::uint64_t begin, std::uint64_t end);

  // The file is still written: what lacks of a block is waited for instead of reported, and so is
  // a damaged place until the file has grown behind it often.
  void set_growing(bool growing) { growing_ = growing; }

 private:
  enum class State : std::uint8_t { kSound, kDamaged, kPastEnd };

  std::span<const std::byte> view(std::uint64_t offset, std::size_t bytes);
  State frame_at(std::uint64_t offset, BlockFrame& frame);
  State whole_at(std::uint64_t offset, Block& block);
  bool resynchronise(std::uint64_t from);
  bool waits_for_writer();
  void give_up(std::uint64_t from, bool began);
  bool only_zeros(std::uint64_t from);
  void note(std::uint64_t offset, const char* what, const char* remedy);

  TraceFile& file_;
  std::uint64_t end_;
  std::uint64_t position_;
  ReadReport* report_;
  std::uint64_t search_budget_;  // bytes that may still be summed up in search of a block
  std::optional<std::uint64_t> last_header_;  // next_header(): the block before, if unchecked
  std::size_t small_blocks_ = 0;              // one after the other, up to here
  std::size_t read_ahead_;
  bool growing_ = false;
  std::uint64_t stuck_at_ = 0;  // see waits_for_writer()
  unsigned times_stuck_ = 0;
  std::uint64_t buffer_offset_ = 0;
  std::size_t buffer_bytes_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace ringside::trace
