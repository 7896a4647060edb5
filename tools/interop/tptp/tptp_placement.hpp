#pragma once
// Processes, threads and statements of imports within the builder's limits.

#include <array>
#include <cstddef>
#include <cstdint>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/tptp/tptp_message_table.hpp"
#include "tools/interop/tptp/tptp_native_site.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Beyond a limit, returns the process of others or the last thread, and reports it.
class Placement {
 public:
  Placement(TraceBuilder& builder, ConversionReport& report) : builder_(builder), report_(report) {}

  std::uint32_t add_process(const ProcessDefinition& process) {
    if (processes_ < TraceBuilder::kMostProcesses) {
      ++processes_;
      return builder_.add_process(process);
    }
    report_.lost("processes after the 200th became '(other processes)'");
    return builder_.process_of_others();
  }

  bool has_room_for_stream() const { return streams_ < TraceBuilder::kMostStreams; }

  std::uint32_t add_stream(std::uint32_t process, const StreamDefinition& stream) {
    if (streams_ < TraceBuilder::kMostStreams) {
      ++streams_;
      last_stream_ = builder_.add_stream(process, stream);
    } else {
      report_.lost("threads after the 100,000th became the last one");
    }
    return last_stream_;
  }

  // The statement for messages of the type; 0: the limit is reached.
  std::uint32_t site_of(const MessageType& type) {
    std::uint32_t& site = sites_[static_cast<std::size_t>(&type - message_types().data())];
    if (site == 0 && builder_.sites() < TraceBuilder::kMostSites) {
      site = builder_.add_site(definition_of(type));
    }
    return site;
  }

 private:
  TraceBuilder& builder_;
  ConversionReport& report_;
  std::size_t processes_ = 0;
  std::size_t streams_ = 0;
  std::uint32_t last_stream_ = 0;
  std::array<std::uint32_t, 64> sites_{};  // by place in message_types(); 0: none yet
};

}  // namespace ringside::tool::tptp
