#include "tools/interop/nettrace/nettrace_writer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include "tools/interop/nettrace/nettrace_blocks.hpp"
#include "tools/interop/nettrace/nettrace_event_plan.hpp"
#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_ringside_site.hpp"
#include "tools/interop/nettrace/nettrace_thread_numbers.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "tools/interop/per_site.hpp"
#include "tools/interop/ringtrace_format.hpp"

namespace ringside::tool {
namespace nettrace {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{100} << 10;
constexpr unsigned kBlocksOfRegion = 16;
constexpr std::size_t kMostSharedMetadata = 50'000;

// Each 2^31 losses take a sequence point.
constexpr std::uint64_t kMostLost = 64 * ThreadNumbers::kMostLostBetweenPoints;

constexpr std::string_view kCauses = "the cause of losses is left out";
constexpr std::string_view kLossesBeyond =
    "counts of more than 2^37 records lost in one place became 2^37";
constexpr std::string_view kTimeBehind2262 = "times after 2262 became the last of that year";
constexpr std::string_view kLate = "came late and follow newer ones";
constexpr std::string_view kExtensions =
    "substreams, stack ids and marks of truncation from a NetTrace file are left out";

TraceFacts trace_of(const trace::Event* first) {
  using namespace std::chrono;
  const std::uint64_t ns =
      first == nullptr ? 0 : std::min<std::uint64_t>(first->unix_ns, INT64_MAX);
  const auto ms = static_cast<std::int64_t>(ns / 1'000'000);
  const sys_time<milliseconds> time{milliseconds(ms)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  TraceFacts trace;
  trace.sync_time = {static_cast<std::uint16_t>(static_cast<int>(date.year())),
                     static_cast<std::uint16_t>(static_cast<unsigned>(date.month())),
                     static_cast<std::uint16_t>(weekday(day).c_encoding()),
                     static_cast<std::uint16_t>(static_cast<unsigned>(date.day())),
                     static_cast<std::uint16_t>(clock.hours().count()),
                     static_cast<std::uint16_t>(clock.minutes().count()),
                     static_cast<std::uint16_t>(clock.seconds().count()),
                     static_cast<std::uint16_t>(clock.subseconds().count())};
  trace.sync_qpc = ms * 1'000'000;
  trace.qpc_frequency = 1'000'000'000;
  trace.pointer_bytes = 8;
  trace.process_id = first == nullptr ? 0 : static_cast<std::int32_t>(first->segment->pid);
  // Readers expect numbers below this one. Only the machine of the trace has the true number.
  const bool is_known = first != nullptr && first->record.processor != 0;
  trace.processors = is_known ? std::max(static_cast<std::int32_t>(first->record.processor),
                                         static_cast<std::int32_t>(sysconf(_SC_NPROCESSORS_CONF)))
                              : 1;
  return trace;
}

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report) : objects_(output), report_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    if (!begun_) begin(&event);
    const std::uint64_t now = time_of(event);
    const std::uint64_t thread = thread_of(event);
    const bool is_loss = event.kind == trace::EventKind::kLoss;
    if (!is_loss && waiting_lost_ != 0) put_point(loss_time_, true);
    if (event.stream != nullptr && !event.stream->thread_name.empty()) {
      put_thread_name(thread, event.stream->thread_name, now);
    }
    if (is_loss) return add_loss(event, now, thread);
    EventPlan& plan =
        plans_.of(event, [&](const trace::Site&) { return EventPlan::of(event, report_); });
    Blob& blob = blob_;
    const trace::Record& record = event.record;
    blob.thread = plan.thread == kNoField ? thread : record.args[plan.thread].u64;
    blob.capture_thread =
        plan.capture_thread == kNoField ? blob.thread : record.args[plan.capture_thread].u64;
    if (plan.processor != kNoField) {
      blob.processor = static_cast<std::uint32_t>(record.args[plan.processor].u64);
    } else {
      blob.processor = record.processor == 0 ? kUnknownProcessor : record.processor - 1;
    }
    blob.metadata_id = metadata_of(plan, event);
    blob.sequence = ++numbers_.last_of(blob.capture_thread);
    blob.stack_id = plan.stack == kNoField ? 0 : stack_of(record.args[plan.stack].text);
    blob.sorted = now >= blob.timestamp;
    if (!blob.sorted) report_.lost(kLate);
    blob.timestamp = now;
    blob.activity = blob.related = {};
    if ((record.ext_flags & shm::kExtActivity) != 0) {
      blob.activity = in_order_of_text(record.activity);
    }
    if ((record.ext_flags & shm::kExtRelatedActivity) != 0) {
      blob.related = in_order_of_text(record.related);
    }
    payload_.clear();
    append_payload(plan, event, payload_, report_);
    events_.add(blob, payload_);
    if (events_.bytes() >= kBlockBytes) {
      end_blocks();
      if (++blocks_ == kBlocksOfRegion) put_point(now);
    }
    if (plans_.is_full()) plans_.clear();
  }

  void end() override {
    if (!begun_) begin(nullptr);
    put_point(std::max(blob_.timestamp, loss_time_));
    objects_.end_file();
  }

 private:
  struct Process {
    std::uint32_t index = 0;
    ProcessDefinition definition;
  };

  void begin(const trace::Event* first) {
    begun_ = true;
    objects_.begin_file(trace_of(first));
  }

  std::uint64_t time_of(const trace::Event& event) {
    if (event.unix_ns <= INT64_MAX) [[likely]]
      return event.unix_ns;
    report_.lost(kTimeBehind2262);
    return INT64_MAX;
  }

  const Process& process_of(const trace::Event& event) {
    if (last_process_ != nullptr && last_section_ == event.section) return *last_process_;
    const trace::SegmentInfo& segment = *event.segment;
    auto found = processes_.find(segment.uuid);
    if (found == processes_.end()) {
      Process process{static_cast<std::uint32_t>(processes_.size()),
                      {segment.pid, segment.uid, segment.start_realtime_ns, segment.service,
                       segment.executable, segment.host}};
      found = processes_.emplace(segment.uuid, std::move(process)).first;
    }
    last_section_ = event.section;
    last_process_ = &found->second;
    return *last_process_;
  }

  // Threads of further processes have the process's number in the upper half of their id.
  std::uint64_t thread_of(const trace::Event& event) {
    if (event.stream == nullptr) return 0;
    return std::uint64_t{process_of(event).index} << 32 | event.stream->thread_id;
  }

  void add_loss(const trace::Event& event, std::uint64_t now, std::uint64_t thread) {
    if (event.cause != trace::LossCause::kUnknown) report_.lost(kCauses, event.lost);
    // Losses of a thread only show after a point that contains the thread.
    if (!numbers_.knows(thread)) {
      numbers_.last_of(thread) = 0;
      put_point(now, true);
    }
    if (event.lost > kMostLost) report_.lost(kLossesBeyond, event.lost - kMostLost);
    loss_time_ = now;
    for (std::uint64_t left = std::min(event.lost, kMostLost); left > 0;) {
      if (waiting_lost_ == ThreadNumbers::kMostLostBetweenPoints) put_point(now, true);
      const std::uint64_t told =
          std::min(left, ThreadNumbers::kMostLostBetweenPoints - waiting_lost_);
      numbers_.last_of(thread) += static_cast<std::uint32_t>(told);
      waiting_lost_ += told;
      left -= told;
    }
  }

  std::uint32_t metadata_of(EventPlan& plan, const trace::Event& event) {
    const std::uint32_t flags = event.record.ext_flags & kTypeExtensions;
    // A reader finds the duration again, by the Stop event.
    if (plan.is_foreign && (flags & ~shm::kExtDuration) != 0) report_.lost(kExtensions);
    std::uint32_t& id = plan.metadata_ids[plan.is_foreign ? 0 : extension_index(flags)];
    if (id != 0) [[likely]]
      return id;
    if (!plan.is_foreign) {
      id = put_metadata(own_metadata(plan, event, flags));
      return id;
    }
    std::string payload = metadata_payload(plan.metadata, {});
    const auto found = shared_metadata_.find(payload);
    if (found != shared_metadata_.end()) {
      id = found->second;
      return id;
    }
    id = put_metadata(payload);
    if (shared_metadata_.size() < kMostSharedMetadata) {
      shared_metadata_.emplace(std::move(payload), id);
    }
    return id;
  }

  std::string own_metadata(const EventPlan& plan, const trace::Event& event, std::uint32_t flags) {
    Metadata metadata = plan.metadata;
    metadata.event_id = last_metadata_id_ + 1;
    const auto extension = [&](std::uint32_t flag, std::string_view name, shm::FieldType type) {
      if ((flags & flag) != 0) metadata.fields.push_back(described(name, type));
    };
    extension(shm::kExtSubstream, "ringside.substream", shm::FieldType::u64);
    extension(shm::kExtStack, "ringside.stack_id", shm::FieldType::u32);
    extension(shm::kExtDuration, "ringside.duration_ns", shm::FieldType::u64);
    const Process& process = process_of(event);
    return metadata_payload(metadata, ringside_tag({flags, process.index, process.definition,
                                                    definition_of(*event.record.site)}));
  }

  // Puts an event before the first one of a thread, and again when its name changes.
  void put_thread_name(std::uint64_t thread, const std::string& name, std::uint64_t now) {
    if (named_thread_ != nullptr && named_thread_->first == thread && named_thread_->second == name)
        [[likely]]
      return;
    const auto [found, is_new] = thread_names_.try_emplace(thread);
    named_thread_ = &*found;
    if (!is_new && found->second == name) return;
    found->second = name;
    if (thread_name_id_ == 0) {
      Metadata metadata;
      metadata.provider = "Ringside";
      metadata.event_name = "thread name";
      metadata.event_id = last_metadata_id_ + 1;
      metadata.level = level_number(shm::Level::kInfo);
      metadata.fields = {described("thread", shm::FieldType::u64),
                         described("name", shm::FieldType::string)};
      metadata.names_threads = true;
      thread_name_id_ = put_metadata(metadata_payload(metadata, {}));
    }
    Blob blob;
    blob.metadata_id = thread_name_id_;
    blob.thread = blob.capture_thread = thread;
    blob.sequence = ++numbers_.last_of(thread);
    blob.processor = kUnknownProcessor;
    blob.timestamp = std::max(now, blob_.timestamp);
    payload_.clear();
    append_number(payload_, thread);
    append_utf16_of_utf8(payload_, std::string_view(name).substr(0, name.find('\0')));
    payload_.append(2, '\0');
    events_.add(blob, payload_);
  }

  std::uint32_t put_metadata(std::string_view payload) {
    std::string record;
    append_number(record, ++last_metadata_id_);
    record += payload;
    metadata_.add({}, record);
    return last_metadata_id_;
  }

  std::uint32_t stack_of(std::string_view addresses) {
    const auto [found, is_new] = stack_ids_.try_emplace(std::string(addresses), 0);
    if (is_new) {
      found->second = static_cast<std::uint32_t>(stack_ids_.size());
      append_number(stacks_, static_cast<std::uint32_t>(addresses.size()));
      stacks_ += addresses;
    }
    return found->second;
  }

  void end_blocks() {
    if (!metadata_.empty()) objects_.block(kMetadataBlockType, metadata_.body());
    metadata_.clear();
    if (!stacks_.empty()) {
      std::string body;
      append_number(body, stacks_written_ + 1);
      append_number(body, static_cast<std::uint32_t>(stack_ids_.size()) - stacks_written_);
      objects_.block(kStackBlockType, body += stacks_);
    }
    stacks_written_ = static_cast<std::uint32_t>(stack_ids_.size());
    stacks_.clear();
    if (!events_.empty()) objects_.block(kEventBlockType, events_.body());
    events_.clear();
  }

  void put_point(std::uint64_t now, bool of_loss = false) {
    end_blocks();
    std::string body;
    append_number(body, std::max(now, blob_.timestamp));
    numbers_.append_point(body, of_loss);
    objects_.block(kSequencePointType, body);
    stack_ids_ = decltype(stack_ids_)();  // clear() takes time for the largest number of buckets
                                          // there has been
    stacks_written_ = 0;
    blocks_ = 0;
    waiting_lost_ = 0;
  }

  ObjectWriter objects_;
  ConversionReport& report_;
  bool begun_ = false;
  PerSite<EventPlan> plans_;
  std::map<std::array<std::uint8_t, 16>, Process> processes_;
  const Process* last_process_ = nullptr;
  std::uint32_t last_section_ = 0;
  ThreadNumbers numbers_;
  BlobBlock events_;
  BlobBlock metadata_;
  std::uint32_t last_metadata_id_ = 0;
  std::unordered_map<std::string, std::uint32_t> shared_metadata_;
  std::unordered_map<std::string, std::uint32_t> stack_ids_;  // since the last sequence point
  std::unordered_map<std::uint64_t, std::string> thread_names_;
  const std::pair<const std::uint64_t, std::string>* named_thread_ = nullptr;  // the last
  std::uint32_t thread_name_id_ = 0;                                           // of its metadata
  std::string stacks_;  // that are not written yet
  std::uint32_t stacks_written_ = 0;
  Blob blob_;  // the last event
  std::string payload_;
  unsigned blocks_ = 0;
  std::uint64_t waiting_lost_ = 0;  // since the last sequence point
  std::uint64_t loss_time_ = 0;
};

}  // namespace
}  // namespace nettrace

std::unique_ptr<TraceWriter> write_nettrace(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<nettrace::Writer>(output, report);
}

}  // namespace ringside::tool
