// Walks the blocks of a file (or of one section of it) and resynchronises after damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/read_report.hpp"
#include "trace-format/blocks/trace_file.hpp"

namespace ringside::trace {

struct Block {
  BlockFrame frame;
  std::uint64_t offset = 0;            // of its header in the file
  std::span<const std::byte> payload;  // valid until the reader's next call
};

class BlockReader {
 public:
  // Blocks in [begin, end) of `file`, which and `report` must outlive the reader (null `report`:
  // damage is skipped silently).
  BlockReader(TraceFile& file, std::uint64_t begin, std::uint64_t end, ReadReport* report);

  // The next block with a correct CRC; false at the end.
  bool next(Block& block);

  // The header and the first bytes of the payload (at most `payload_bytes`) of the next block,
  // unchecked: for a quick scan of a file. Skips damage that is visible in headers, as next() does.
  // Do not mix with next().
  bool next_header(Block& block, std::size_t payload_bytes);

  // The complete block at `offset` if it is valid; does not move position().
  bool read_at(std::uint64_t offset, Block& block);

  std::uint64_t position() const { return position_; }
  std::uint64_t end() const { return end_; }
  void set_end(std::uint64_t end);
  void set_range(std::uint64_t begin, std::uint64_t end);

  // The file is still being written: missing bytes of a block are waited for instead of reported,
  // and so is a damaged place until the file has grown often after it.
  void set_growing(bool growing) { growing_ = growing; }
  // A damaged place that is waited for is so for good: next() passes it. Bytes that are missing at
  // the end are still waited for.
  void pass_damage() { times_stuck_ = kMostTimesStuck; }

 private:
  enum class State : std::uint8_t { kSound, kDamaged, kPastEnd };

  // How often a file must grow while a damaged place remains before the place is reported as
  // damage: writes may reach the file out of order.
  static constexpr unsigned kMostTimesStuck = 16;

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
  std::uint64_t search_budget_;               // bytes that searches for a block may still sum up
  std::optional<std::uint64_t> last_header_;  // next_header(): the preceding block, if unchecked
  std::size_t small_blocks_ = 0;              // consecutive, up to this position
  std::size_t read_ahead_;
  bool growing_ = false;
  std::uint64_t stuck_at_ = 0;  // see waits_for_writer()
  unsigned times_stuck_ = 0;
  std::uint64_t buffer_offset_ = 0;
  std::size_t buffer_bytes_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace ringside::trace
