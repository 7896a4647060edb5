#pragma once
// Numbers the stacks of records, which readers draw as flame graphs, and writes each one once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/viewers/sampled_stacks.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool::perfetto {

// Not thread-safe.
class Callstacks {
 public:
  void use(const std::shared_ptr<const MethodsByProcess>& methods) { stacks_.use(methods); }

  // The number of the record's stack; 0 if it has none, or an empty one.
  std::uint64_t number_of(const trace::Event& event);

  bool has_fresh() const { return !fresh_.empty(); }
  // What was numbered since the last call, as an InternedData message; empty if there is nothing.
  std::string take() { return std::exchange(fresh_, {}); }

  // Whether memory demands clear(), after which all stacks are written again.
  bool is_full() const { return bytes_ >= kMostBytes; }
  void clear();

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  void put_frame(std::uint32_t frame);

  SampledStacks stacks_;
  std::unordered_map<std::string, std::uint64_t> numbers_;  // by the frames' numbers
  std::size_t bytes_ = 0;
  std::vector<bool> written_;  // by frame
  std::string fresh_;
};

}  // namespace ringside::tool::perfetto
