#pragma once
// The lengths of this process's own records, to count those of a discarded sub-buffer. Counting
// them when they are written would cost every log call an instruction.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libagent/description/field_types.hpp"
#include "libagent/include/ringside/abi.h"

namespace ringside {

// The layout of one statement's records after the head: bytes of fixed length, with texts (u32
// length + bytes) and arrays (u32 count + elements) in between.
struct RecordShape {
  static constexpr std::uint8_t kElementsAreTexts = 0;
  struct Text {
    std::uint32_t fixed_bytes_after = 0;
    std::uint8_t element_bytes = 0;  // of a text: 1
  };

  std::uint32_t fixed_bytes = 0;  // before the first text
  std::vector<Text> texts;
};

// By site id. They outlive the statements, whose library may be unloaded while its records are in a
// ring. Added under the agent's lock before the id is published; read without it.
class RecordShapes {
 public:
  explicit RecordShapes(std::uint32_t site_capacity);

  // `has_stack`: an array of addresses follows the fields.
  void add(std::uint32_t site_id, const FieldTypes& types, bool has_stack = false);
  const RecordShape* find(std::uint32_t site_id) const;

 private:
  std::uint32_t site_capacity_;
  std::unique_ptr<std::atomic<const RecordShape*>[]> by_site_;
  std::vector<std::unique_ptr<const RecordShape>> shapes_;
};

// The records between two positions of a ring.
struct WalkedRecords {
  std::uint64_t bytes = 0;  // length of the walk
  // sequence numbers: of records, and of records reported by drop records
  std::uint64_t numbers = 0;
  std::uint64_t drops = 0;  // the latter only
  bool at_clock = false;    // a clock record comes next
  // false: the next bytes are not a record; they were overwritten by something else
  bool sound = true;
};

// Walks from the begin of `bytes`, a clock record, to the next one or the end.
WalkedRecords walk_sub_buffer(std::span<const std::byte> bytes, const RecordShapes& shapes);

}  // namespace ringside
