#include "tools/scheduling/schedule_recording.hpp"

#include <utility>

#include "tools/scheduling/thread_facts.hpp"
#include "tools/scheduling/unix_time.hpp"

namespace ringside::tool {

std::unique_ptr<ScheduleRecording> ScheduleRecording::open(pid_t pid,
                                                           const ProcessDefinition& process,
                                                           std::string* why) {
  auto source = SwitchSource::open(pid, why);
  if (source == nullptr) return {};
  return std::unique_ptr<ScheduleRecording>(new ScheduleRecording(pid, process, std::move(source)));
}

ScheduleRecording::ScheduleRecording(pid_t pid, const ProcessDefinition& process,
                                     std::unique_ptr<SwitchSource> source)
    : pid_(pid),
      source_(std::move(source)),
      trace_(process),
      runs_([this](const ThreadRun& run) { trace_.add(run); }) {
  for (const SwitchSource::Thread& thread : source_->threads()) {
    runs_.add_thread(thread.id, thread.since_unix_ns);
    name(thread.id, thread_name(pid_, thread.id));
    if (const auto time_ns = processor_time_ns(pid_, thread.id))
      processor_times_ns_.emplace(thread.id, *time_ns);
  }
  threads_ = source_->threads().size();
}

// A thread that is gone has no name, and its number is that of this namespace.
void ScheduleRecording::name(std::uint32_t thread_id, const std::string& name) {
  trace_.name_thread(thread_id, inner_thread_id(pid_, thread_id).value_or(thread_id), name);
}

void ScheduleRecording::use(const SwitchRecord& record) {
  runs_.add(record);
  switch (record.kind) {
    case SwitchKind::kBegan:
      ++threads_;
      name(record.thread_id, thread_name(pid_, record.thread_id));
      break;
    case SwitchKind::kNamed:
      name(record.thread_id, record.name);
      break;
    case SwitchKind::kLost:
      trace_.lost(record.thread_id, record.unix_ns, record.lost);
      break;
    default:
      break;
  }
}

void ScheduleRecording::read() {
  source_->read([this](const SwitchRecord& record) { use(record); });
}

// A thread with a processor of its own can have no switch at all: then it has run all the time.
void ScheduleRecording::add_runs_without_switch(std::uint64_t until_unix_ns) {
  for (const SwitchSource::Thread& thread : source_->threads()) {
    if (!runs_.is_unknown(thread.id) || thread.since_unix_ns >= until_unix_ns) continue;
    const auto before_ns = processor_times_ns_.find(thread.id);
    const auto after_ns = processor_time_ns(pid_, thread.id);
    const auto processor = last_processor(pid_, thread.id);
    if (before_ns == processor_times_ns_.end() || !after_ns || !processor) continue;
    // The kernel adds up the time of a running thread at its ticks.
    const std::uint64_t ran_ns = *after_ns - before_ns->second;
    if (ran_ns < (until_unix_ns - thread.since_unix_ns) / 2) continue;
    trace_.add({.thread_id = thread.id,
                .processor = *processor,
                .begin_unix_ns = thread.since_unix_ns,
                .end_unix_ns = until_unix_ns,
                .end = RunEnd::kUnknown});
  }
}

void ScheduleRecording::finish() {
  const std::uint64_t until_unix_ns = unix_time_ns();
  source_->finish([this](const SwitchRecord& record) { use(record); });
  add_runs_without_switch(until_unix_ns);
  runs_.finish(until_unix_ns);
}

}  // namespace ringside::tool
