#pragma once
// The stacks of a profiler's samples, as frames with names.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/method_names.hpp"
#include "tools/interop/per_site.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// For the report about a trace that has samples.
inline constexpr std::string_view kOtherStacks =
    "stacks of events that are not samples are left out: select these events to draw them";

// For the report about a trace without anything to draw.
inline constexpr std::string_view kNothingDrawn =
    "nothing to draw: no record has a duration or a stack of addresses; --to chrome and --to "
    "perfetto show such records";

// Memory grows with the number of different addresses. Not thread-safe.
class SampledStacks {
 public:
  struct Stack {
    std::string_view addresses;  // 8 bytes each, innermost first
    bool is_sample = false;      // from a profiler; false: from any event that has a stack
  };

  void use(const std::shared_ptr<const MethodsByProcess>& methods) { methods_ = methods; }

  // Whether the field holds a stack of addresses.
  static bool is_stack(const trace::Field& field);

  // Finds the stack of a record. False: it has none, or an empty one and is not a sample.
  bool find(const trace::Event& event, Stack& stack);

  // Numbers for name(), outermost first. Valid until the next call.
  const std::vector<std::uint32_t>& frames(const trace::Event& event, const Stack& stack);
  // "module!Namespace.Type.Method", or "0x7f0012345678" for an address without a known method.
  const std::string& name(std::uint32_t frame) const { return *names_[frame]; }

 private:
  static constexpr std::size_t kNoStack = SIZE_MAX;
  struct Place {
    std::size_t field = kNoStack;
    bool is_sample = false;
  };
  struct Process {
    const MethodNames* methods = nullptr;
    std::unordered_map<std::uint64_t, std::uint32_t> innermost;
    std::unordered_map<std::uint64_t, std::uint32_t> callers;
  };

  Process& process_of(const trace::Event& event);
  std::uint32_t frame_of(const MethodNames* methods, std::uint64_t address, bool is_innermost);

  std::shared_ptr<const MethodsByProcess> methods_;
  PerSite<Place> sites_;
  std::map<std::array<std::uint8_t, 16>, Process> processes_;
  std::uint32_t last_section_ = 0;
  Process* last_process_ = nullptr;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> names_;  // keys of numbers_
  std::vector<std::uint32_t> frames_;
};

}  // namespace ringside::tool
