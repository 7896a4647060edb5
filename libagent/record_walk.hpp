#pragma once
// The lengths of this process's own records, to count those of a sub-buffer that is given up.
// Nobody counts them when they are written: that would cost every log call an instruction.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libagent/include/ringside/abi.h"

namespace ringside {

// What one statement's records look like behind the head: bytes of fixed length, with texts (u32
// length + bytes) in between.
struct RecordShape {
  std::uint32_t texts = 0;
  std::uint32_t fixed_bytes[RS_MAX_FIELDS + 1] = {};  // before each text; behind the last one
};

// By site id. They outlive the statements, whose library may be unloaded while its records are in
// a ring. Added under the agent's lock before the id is known to anybody; read without.
class RecordShapes {
 public:
  explicit RecordShapes(std::uint32_t site_capacity);

  void add(std::uint32_t site_id, std::span<const rs_field> fields);
  const RecordShape* find(std::uint32_t site_id) const;

 private:
  std::uint32_t site_capacity_;
  std::unique_ptr<std::atomic<const RecordShape*>[]> by_site_;
  std::vector<std::unique_ptr<const RecordShape>> shapes_;
};

// What stands between two places of a ring.
struct WalkedRecords {
  std::uint64_t bytes = 0;    // up to where it was walked
  std::uint64_t numbers = 0;  // sequence numbers: records, and those that drop records tell of
  std::uint64_t drops = 0;    // the latter
  bool at_clock = false;      // a clock record comes next
  bool sound = true;          // no: what comes next is no record; somebody wrote over it
};

// Walks from `bytes`, which begin with a clock record, to the next one or the end.
WalkedRecords walk_sub_buffer(std::span<const std::byte> bytes, const RecordShapes& shapes);

}  // namespace ringside
