#pragma once
// Processes and threads of an import within the builder's limits.

#include <cstddef>
#include <cstdint>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Beyond a limit the last one is given again, and the report tells.
class Placement {
 public:
  Placement(TraceBuilder& builder, ConversionReport& report) : builder_(builder), report_(report) {}

  std::uint32_t add_process(const ProcessDefinition& process) {
    if (processes_ < TraceBuilder::kMostProcesses) {
      ++processes_;
      last_process_ = builder_.add_process(process);
    } else {
      report_.lost("processes beyond 200 became the last of them");
    }
    return last_process_;
  }

  bool has_room_for_stream() const { return streams_ < TraceBuilder::kMostStreams; }

  std::uint32_t add_stream(std::uint32_t process, const StreamDefinition& stream) {
    if (streams_ < TraceBuilder::kMostStreams) {
      ++streams_;
      last_stream_ = builder_.add_stream(process, stream);
    } else {
      report_.lost("threads beyond 100,000 became the last of them");
    }
    return last_stream_;
  }

 private:
  TraceBuilder& builder_;
  ConversionReport& report_;
  std::size_t processes_ = 0;
  std::size_t streams_ = 0;
  std::uint32_t last_process_ = 0;
  std::uint32_t last_stream_ = 0;
};

}  // namespace ringside::tool::tptp
