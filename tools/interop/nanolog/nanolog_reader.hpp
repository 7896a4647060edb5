#pragma once
// The structure of a log file of NanoLog: checkpoints, dictionaries, and extents of records.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/printf_fields.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/nanolog/nanolog_arguments.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::nanolog {

// Relates cycles to wall-clock time; the dictionary restarts here.
struct Checkpoint {
  std::uint64_t cycles = 0;
  std::int64_t unix_s = 0;
  double cycles_per_second = 0;
};

// Converts cycles to times by a checkpoint.
class Clock {
 public:
  explicit Clock(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  // 0 for times before 1970. Fast within the second of the previous time.
  std::uint64_t unix_ns(std::uint64_t cycles) {
    const double rest = since(cycles) - second_cycles_;
    if (!(rest >= 0 && rest < cycles_of_second_)) [[unlikely]]
      return to_second_of(cycles);
    return second_ns_ + rounded(rest * ns_per_cycle_);
  }

 private:
  static constexpr double kHalf = 0.5;

  double since(std::uint64_t cycles) const {
    return static_cast<double>(static_cast<std::int64_t>(cycles - checkpoint_.cycles));
  }
  // lround() would be a function call.
  static std::uint64_t rounded(double ns) { return static_cast<std::uint64_t>(ns + kHalf); }
  std::uint64_t to_second_of(std::uint64_t cycles);

  Checkpoint checkpoint_;
  // Whole seconds are kept separate, so that a double can hold all nanoseconds.
  double second_cycles_ = 0;  // since the checkpoint
  std::uint64_t second_ns_ = 0;
  double cycles_of_second_ = 0;  // 0: no second is cached
  double ns_per_cycle_ = 0;
};

struct Statement {
  std::uint32_t line = 0;
  std::uint8_t severity = 0;  // 1 error, 2 warning, 3 notice, 4 debug
  std::string file;
  std::string format;
  shm::FieldList fields;
};

struct Extent {
  std::uint64_t offset = 0;  // in the file
  std::uint32_t bytes = 0;
  std::uint32_t thread = 0;
  bool ends_round = false;  // of the runtime, over all threads
};

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;
  virtual void checkpoint(std::uint64_t offset, const Checkpoint& checkpoint) = 0;
  // `count` further statements, from id `first` on.
  virtual void statements(std::uint64_t offset, std::uint32_t first,
                          std::span<const Statement> more) = 0;
  virtual void extent(const Extent& extent) = 0;
  // One argument for each field of the statement, valid during the call.
  virtual void record(std::uint32_t statement, std::uint64_t cycles,
                      const Arguments& arguments) = 0;
  virtual void extent_end() {}
};

// Whether a checkpoint of NanoLog begins here.
bool is_checkpoint(std::span<const std::byte> first_bytes);

// Reads a whole file, in its order.
ReadOutcome read_file(InputBytes& input, Visitor& visitor);

}  // namespace ringside::tool::nanolog
