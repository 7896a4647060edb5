#pragma once
// Processes and threads, for formats that identify them by small numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/event_facts.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

struct SourceProcess {
  std::uint32_t index = 0;  // from 0, in order of first appearance
  std::uint32_t pid = 0;    // unique among processes
  trace::SegmentInfo segment;
};

struct SourceThread {
  std::uint32_t index = 0;  // among all processes
  std::uint32_t id = 0;     // unique within its process
  const SourceProcess* process = nullptr;
  std::string name;
  bool is_thread = true;   // false: belongs to the process, not to a thread
  std::uint64_t task = 0;  // not 0: stands for this task, whichever threads made its records

  // For viewers.
  std::string task_name() const { return name + " #" + std::to_string(task); }
};

// Merges sections of one process. Memory grows with the number of threads, and of tasks up to
// kMostTasks. Not thread-safe.
class EventSources {
 public:
  explicit EventSources(ConversionReport& report) : report_(report) {}

  struct Found {
    const SourceThread& thread;
    bool new_process = false;
    bool new_name = false;  // or the thread is new
  };

  // Later tasks remain substreams of their threads.
  static constexpr std::size_t kMostTasks = 65'536;

  struct Track {
    const SourceThread& source;
    bool is_new = false;
    // Of the record within the track; 0: none.
    std::uint64_t substream = 0;
  };
  // Where viewers show the record of `thread`, which of() returned: there, or with its task. Tasks
  // share the numbers of threads, but their ids are generated.
  Track track_of(const trace::Event& event, const SourceThread& thread) {
    const bool is_record = event.kind == trace::EventKind::kRecord;
    const std::uint64_t substream = is_record ? substream_of(event) : 0;
    const trace::RecordContext* const context = is_record ? event.record.context : nullptr;
    if (context == nullptr || context->task == 0 || context->task != substream) [[likely]] {
      return {thread, false, substream};
    }
    return track_of_task(*context, thread);
  }

  // A number that no process or thread has.
  std::uint32_t made_up_id() { return kFirstMadeUp + next_made_up_++; }

  Found of(const trace::Event& event) {
    const std::uint64_t stream = event.stream == nullptr ? 0 : event.stream->id;
    const Recent& recent = recent_[(stream ^ event.section) % kRecent];
    if (recent.thread != nullptr && recent.section == event.section && recent.stream == stream &&
        (event.stream == nullptr || recent.revision == event.stream->revision)) [[likely]] {
      return {*recent.thread};
    }
    return find(event, stream);
  }

 private:
  // Larger than any process or thread id that Linux assigns.
  static constexpr std::uint32_t kFirstMadeUp = 1U << 30;
  static constexpr std::size_t kRecent = 256;
  struct Recent {
    const SourceThread* thread = nullptr;
    std::uint64_t stream = 0;
    std::uint32_t section = 0;
    std::uint32_t revision = 0;
  };

  Found find(const trace::Event& event, std::uint64_t stream);
  Track track_of_task(const trace::RecordContext& context, const SourceThread& thread);
  const SourceProcess& process_of(const trace::Event& event, bool& is_new);
  std::uint32_t unused(std::uint32_t wanted, std::uint32_t process, std::string_view what);

  ConversionReport& report_;
  std::array<Recent, kRecent> recent_{};
  std::unordered_map<std::uint32_t, const SourceProcess*> sections_;
  std::map<std::array<std::uint8_t, 16>, const SourceProcess*> by_uuid_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, SourceThread*> by_stream_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, const SourceThread*> by_task_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_;  // process and thread id
  std::uint32_t next_made_up_ = 0;
  std::deque<SourceProcess> processes_;
  std::deque<SourceThread> threads_;
};

}  // namespace ringside::tool
