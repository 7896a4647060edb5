#pragma once
// Records when the threads of one process run.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <sys/types.h>

#include "tools/scheduling/schedule_trace.hpp"
#include "tools/scheduling/switch_source.hpp"
#include "tools/scheduling/thread_runs.hpp"

namespace ringside::tool {

// Call read() every kReadMs: the rings of the kernel are small. Not thread-safe.
class ScheduleRecording {
 public:
  static constexpr int kReadMs = 20;

  // Begins at once. Null with `*why`. `pid`: as this process sees it; that of `process` is for the
  // trace.
  static std::unique_ptr<ScheduleRecording> open(pid_t pid, const ProcessDefinition& process,
                                                 std::string* why);
  ScheduleRecording(const ScheduleRecording&) = delete;
  ScheduleRecording& operator=(const ScheduleRecording&) = delete;

  // As SwitchSource::wait().
  bool wait(int stop_fd, int timeout_ms) { return source_->wait(stop_fd, timeout_ms); }
  void read();
  // Ends the recording. Only the functions below may follow.
  void finish();

  bool write(const std::string& path, std::string* why) { return trace_.write(path, why); }
  std::uint64_t runs() const { return trace_.runs(); }
  std::uint64_t lost() const { return trace_.lost(); }
  std::size_t threads() const { return threads_; }

 private:
  ScheduleRecording(pid_t pid, const ProcessDefinition& process,
                    std::unique_ptr<SwitchSource> source);
  void use(const SwitchRecord& record);
  void name(std::uint32_t thread_id, const std::string& name);
  void add_runs_without_switch(std::uint64_t until_unix_ns);

  pid_t pid_;
  std::unique_ptr<SwitchSource> source_;
  ScheduleTrace trace_;
  ThreadRuns runs_;
  std::map<std::uint32_t, std::uint64_t> processor_times_ns_;  // at the beginning
  std::size_t threads_ = 0;
};

}  // namespace ringside::tool
