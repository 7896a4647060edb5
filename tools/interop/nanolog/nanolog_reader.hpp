#pragma once
// The structure of a log file of NanoLog's C++17 runtime: checkpoints, fragments of its dictionary,
// and extents of records.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/printf_fields.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "trace-format/value.hpp"

namespace ringside::tool::nanolog {

// Correlates cycles with wall-clock time; the dictionary begins anew.
struct Checkpoint {
  std::uint64_t cycles = 0;
  std::int64_t unix_s = 0;
  double cycles_per_second = 0;

  // 0 for times before 1970.
  std::uint64_t unix_ns(std::uint64_t cycles) const;
};

struct Statement {
  std::uint32_t line = 0;
  std::uint8_t severity = 0;  // 1 error, 2 warning, 3 notice, 4 debug
  std::string file;
  std::string format;
  shm::FieldList fields;
  std::uint32_t nibbles = 0;  // one for each field that is no string
};

struct Extent {
  std::uint64_t offset = 0;  // in the file
  std::uint32_t bytes = 0;
  std::uint32_t thread = 0;
  bool ends_round = false;  // of the runtime over all threads
};

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;
  virtual void checkpoint(std::uint64_t offset, const Checkpoint& checkpoint) = 0;
  // `count` more of them, from id `first` on.
  virtual void statements(std::uint64_t offset, std::uint32_t first,
                          std::span<const Statement> more) = 0;
  virtual void extent(const Extent& extent) = 0;
  // One value for each field of the statement. Texts live during the call.
  virtual void record(std::uint32_t statement, std::uint64_t cycles,
                      std::span<const trace::Value> values) = 0;
  virtual void extent_end() {}
};

// Whether a checkpoint of a NanoLog begins here.
bool is_checkpoint(std::span<const std::byte> first_bytes);

// All of a file, in its order.
ReadOutcome read_file(InputBytes& input, Visitor& visitor);

}  // namespace ringside::tool::nanolog
