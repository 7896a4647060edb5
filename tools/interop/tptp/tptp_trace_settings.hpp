#pragma once
// The `filter` and `option` messages of a profiler's trace, as what was collected.

#include <cstddef>
#include <cstdint>
#include <map>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/tptp/tptp_message.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Memory: at most 1,000 settings of each process. Not thread-safe.
class TraceSettings {
 public:
  TraceSettings(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // A `filter` or `option` of the process, an index in the builder.
  void add(const Message& message, std::uint32_t process);
  // The last message has this time. Settings that follow each other have one time.
  void settle(std::uint64_t unix_ns);
  // Writes what is left.
  void end();

 private:
  static constexpr std::size_t kMostSettings = 1000;

  struct Process {
    trace::CollectionState state;
    bool is_new = false;  // settings were added since it was written
  };

  void write();

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::map<std::uint32_t, Process> processes_;
  bool was_setting_ = false;  // the last message
  bool is_pending_ = false;
  std::uint64_t unix_ns_ = 0;
};

}  // namespace ringside::tool::tptp
