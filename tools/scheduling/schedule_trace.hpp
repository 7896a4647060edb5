#pragma once
// A trace file of when the threads of a process ran: README.md has its records.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/scheduling/thread_runs.hpp"

namespace ringside::tool {

// Memory is bounded: runs go to a file without a name in $TMPDIR. Not thread-safe.
class ScheduleTrace {
 public:
  explicit ScheduleTrace(const ProcessDefinition& process);

  // `thread_id`: as the records of this class have it. `id`: that of the trace, which the first
  // call for a thread decides; without a call before its first record, `thread_id`.
  void name_thread(std::uint32_t thread_id, std::uint32_t id, const std::string& name);
  void add(const ThreadRun& run);
  void lost(std::uint32_t thread_id, std::uint64_t unix_ns, std::uint64_t switches);

  std::uint64_t runs() const { return runs_; }
  std::uint64_t lost() const { return lost_; }

  // Writes the trace file, which belongs to whom the directory belongs if this user may give it
  // away. False with `*why`: then it can be written to another path. Nothing may be added
  // afterwards.
  bool write(const std::string& path, std::string* why);

 private:
  // The stream of a thread; with more threads than a file can have, that of the last ones.
  std::uint32_t stream_of(std::uint32_t thread_id, std::uint32_t id);

  ConversionReport report_;
  TraceBuilder builder_{report_};
  std::uint32_t process_ = 0;
  std::uint32_t site_ = 0;
  std::map<std::uint32_t, std::uint32_t> streams_;  // by thread
  std::uint64_t runs_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<std::string> parts_;  // files of the complete trace, once it is written
};

}  // namespace ringside::tool
