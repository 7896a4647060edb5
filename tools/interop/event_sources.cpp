#include "tools/interop/event_sources.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint32_t kOfProcesses = UINT32_MAX;

}  // namespace

std::uint32_t EventSources::unused(std::uint32_t wanted, std::uint32_t process,
                                   std::string_view what) {
  if (wanted != 0 && wanted < kFirstMadeUp && used_.emplace(process, wanted).second) return wanted;
  report_.lost(what);
  return made_up_id();
}

const SourceProcess& EventSources::process_of(const trace::Event& event, bool& is_new) {
  const SourceProcess*& of_section = sections_[event.section];
  if (of_section != nullptr) return *of_section;
  const SourceProcess*& process = by_uuid_[event.segment->uuid];
  if (process == nullptr) {
    is_new = true;
    SourceProcess& made = processes_.emplace_back();
    made.index = static_cast<std::uint32_t>(processes_.size() - 1);
    made.segment = *event.segment;
    made.pid =
        unused(event.segment->pid, kOfProcesses,
               "the process got a generated number: its own is unknown or used by another process");
    process = &made;
  }
  of_section = process;
  return *process;
}

EventSources::Found EventSources::find(const trace::Event& event, std::uint64_t stream) {
  bool new_process = false;
  const SourceProcess& process = process_of(event, new_process);
  SourceThread*& thread = by_stream_[{process.index, stream}];
  const bool is_new = thread == nullptr;
  if (is_new) {
    thread = &threads_.emplace_back();
    thread->index = static_cast<std::uint32_t>(threads_.size() - 1);
    thread->process = &process;
    thread->is_thread = stream != 0;
    if (stream != 0) {
      thread->id =
          unused(event.stream->thread_id, process.index,
                 "the thread got a generated number: its own is unknown or used by another thread");
    }
  }
  const std::string_view name =
      event.stream == nullptr ? std::string_view() : std::string_view(event.stream->thread_name);
  const bool new_name = is_new || thread->name != name;
  if (new_name) thread->name = name;
  recent_[(stream ^ event.section) % kRecent] = {
      thread, stream, event.section, event.stream == nullptr ? 0 : event.stream->revision};
  return {*thread, new_process, new_name};
}

EventSources::Track EventSources::track_of_task(const trace::RecordContext& context,
                                                const SourceThread& thread) {
  const std::pair key{thread.process->index, context.task};
  const auto known = by_task_.find(key);
  if (known != by_task_.end()) return {*known->second, false, 0};
  if (by_task_.size() == kMostTasks) {
    report_.lost("belongs to a task after the 65,536th: it is shown in its thread");
    return {thread, false, context.task};
  }
  SourceThread& task = threads_.emplace_back();
  task.index = static_cast<std::uint32_t>(threads_.size() - 1);
  task.id = made_up_id();
  task.process = thread.process;
  task.name = context.task_name;
  task.is_thread = false;
  task.task = context.task;
  by_task_.emplace(key, &task);
  return {task, true, 0};
}

}  // namespace ringside::tool
