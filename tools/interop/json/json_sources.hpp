#pragma once
// Processes and threads of JSON formats, which identify them by numbers or by texts.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Those beyond a trace's limits are merged into one, which is counted. Not thread-safe.
class JsonSources {
 public:
  JsonSources(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // Equal keys mean one process. `definition` applies only when the process is new.
  std::uint32_t process(std::string_view key, const ProcessDefinition& definition);
  // A thread of the process; a known thread gets the name unless that is empty.
  std::uint32_t thread(std::uint32_t process, std::string_view key, std::uint32_t id,
                       std::string_view name);

 private:
  struct Thread {
    std::uint32_t stream = 0;
    std::string name;
  };

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::unordered_map<std::string, std::uint32_t> processes_;
  std::unordered_map<std::string, Thread> threads_;  // by number of the process and key
  std::uint32_t made_processes_ = 0;
  std::uint32_t made_threads_ = 0;
  std::string key_;
};

}  // namespace ringside::tool
