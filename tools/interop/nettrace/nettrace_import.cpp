#include "tools/interop/nettrace/nettrace_import.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/nettrace/nettrace_activity_spans.hpp"
#include "tools/interop/nettrace/nettrace_clock.hpp"
#include "tools/interop/nettrace/nettrace_event_kinds.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/nettrace/nettrace_reader.hpp"
#include "tools/interop/nettrace/nettrace_ringside_site.hpp"
#include "tools/interop/nettrace/nettrace_sequence.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool {
namespace nettrace {
namespace {

// Limit of the events that wait for stacks that come later in the file, and of the stacks.
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;
constexpr std::size_t kMostStackBytes = std::size_t{256} << 20;
constexpr std::size_t kMostNettraceNameBytes = 8192;
constexpr std::string_view kMoreEventTypes =
    "are left out: a trace has at most about a million statements";
constexpr std::string_view kMoreStreams =
    "are in another thread: a trace has at most 100000 threads";
constexpr std::string_view kMoreProcesses =
    "are in the process '(other processes)': a trace has at most 200 named processes";
constexpr std::string_view kTimeOutside = "impossible times became 1970 or 2262";
constexpr std::string_view kLateStack = "their stacks came too late and are left out";
constexpr std::string_view kManyStacks = "stacks are left out: more than 256 MiB of them";
class Import final : public Visitor {
 public:
  Import(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report), spans_(builder, report) {}

  void object(const ObjectFacts&) override {}
  void block(const BlockFacts&) override {}
  std::string trace(const TraceFacts& trace) override;
  void event(const Blob& blob) override;
  std::string metadata(const Blob& blob) override;
  void stack(std::uint32_t id, std::span<const std::byte> addresses) override;
  void sequence_point(std::uint64_t timestamp, std::uint32_t threads) override;
  void sequence_point_thread(std::uint64_t thread, std::uint32_t sequence) override;
  void sequence_point_end() override;
  void end();

 private:
  struct Waiting {
    EventKind* kind;
    Blob blob;
    std::string payload;
  };
  struct StreamKey {
    std::uint64_t thread = 0;
    std::uint64_t capture_thread = 0;
    std::uint32_t process = 0;
    bool operator==(const StreamKey&) const = default;
  };
  struct StreamKeyHash {
    std::size_t operator()(const StreamKey& key) const {
      return (key.thread * 0x9E3779B97F4A7C15U ^ key.capture_thread) * 31 + key.process;
    }
  };

  std::uint32_t process_of(EventKind& kind);
  std::uint32_t plain_process();
  void add_waiting(std::size_t bytes);
  void end_region();
  std::uint32_t stream_of(const StreamKey& key);
  std::uint32_t site_of(EventKind& kind, unsigned variant);
  void deliver(EventKind& kind, const Blob& blob, const std::string* stack);
  bool take_thread_name(const Blob& blob);
  std::string frames_of(std::span<const std::byte> addresses) const;
  std::size_t pointer_bytes() const { return facts_.pointer_bytes == 4 ? 4 : 8; }
  void put_extension(const Blob& blob, const EventKind& kind, std::span<const std::byte> rest,
                     trace::RecordExtension& extension) const;
  std::uint64_t unix_ns(std::uint64_t timestamp) {
    bool moved = false;
    const std::uint64_t ns = clock_.unix_ns(timestamp, &moved);
    if (moved) [[unlikely]]
      report_.lost(kTimeOutside);
    return ns;
  }

  TraceBuilder& builder_;
  ConversionReport& report_;
  ActivitySpans spans_;
  Clock clock_;
  TraceFacts facts_;
  SequenceLedger ledger_;
  EventKinds kinds_;
  std::optional<std::uint32_t> plain_process_;
  std::unordered_map<std::uint32_t, std::uint32_t> processes_;  // written by Ringside
  std::unordered_map<StreamKey, std::uint32_t, StreamKeyHash> streams_;
  std::unordered_map<std::uint64_t, std::string> thread_names_;
  std::optional<StreamKey> last_key_;
  std::uint32_t last_stream_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> processes_of_threads_;
  std::uint64_t point_ = 0;
  // Since the last sequence point.
  std::unordered_map<std::uint32_t, std::string> stacks_;
  std::size_t stack_bytes_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<std::unique_ptr<EventKind>> retired_;  // of waiting events
  std::size_t waiting_bytes_ = 0;
};

std::string Import::trace(const TraceFacts& trace) {
  facts_ = trace;
  std::string why;
  const std::optional<Clock> clock = Clock::of(trace, &why);
  if (clock) clock_ = *clock;
  return why;
}

std::string Import::metadata(const Blob& blob) {
  auto kind = std::make_unique<EventKind>();
  std::string why;
  if (!parse_metadata(facts_.version, blob, kind->metadata, &why)) return why;
  kind->prepare(pointer_bytes(), report_);
  std::unique_ptr<EventKind> previous = kinds_.put(std::move(kind));
  if (previous != nullptr && previous->is_waited_for) {
    retired_.push_back(std::move(previous));
    add_waiting(sizeof(EventKind));
  }
  return {};
}

// The process of events that were not written by Ringside.
std::uint32_t Import::plain_process() {
  if (!plain_process_) {
    ProcessDefinition process;
    process.pid = static_cast<std::uint32_t>(facts_.process_id);
    process.start_unix_ns =
        static_cast<std::uint64_t>(std::max<std::int64_t>(clock_.sync_unix_ns(), 0));
    process.service = "nettrace";
    // Of several senders, each has a process.
    if (!builder_.has_room_for_process()) report_.lost(kMoreProcesses);
    plain_process_ = builder_.has_room_for_process() ? builder_.add_process(process)
                                                     : builder_.process_of_others();
  }
  return *plain_process_;
}

// Without a stored result for the processes beyond the limit.
std::uint32_t Import::process_of(EventKind& kind) {
  if (kind.process) return *kind.process;
  if (!kind.own) return *(kind.process = plain_process());
  const auto known = processes_.find(kind.own->process_index);
  if (known != processes_.end()) return *(kind.process = known->second);
  // One is left for events that were not written by Ringside.
  if (processes_.size() + 1 == TraceBuilder::kMostProcesses || !builder_.has_room_for_process())
    return builder_.process_of_others();
  return *(kind.process = processes_[kind.own->process_index] =
               builder_.add_process(kind.own->process));
}

std::uint32_t Import::stream_of(const StreamKey& key) {
  if (last_key_ == key) [[likely]]
    return last_stream_;
  const auto [found, is_new] = streams_.try_emplace(key, 0);
  if (is_new) {
    if (builder_.has_room_for_stream()) {
      found->second =
          builder_.add_stream(key.process, {static_cast<std::uint32_t>(key.thread), {}});
      const auto name = thread_names_.find(key.thread);
      if (name != thread_names_.end()) builder_.name_thread(found->second, name->second);
    } else {
      report_.lost(kMoreStreams);
      streams_.erase(found);
      return last_stream_;
    }
  }
  last_key_ = key;
  last_stream_ = found->second;
  return last_stream_;
}

// 0 if the limit is reached.
std::uint32_t Import::site_of(EventKind& kind, unsigned variant) {
  std::uint32_t& site = kind.sites[variant];
  if (site == 0 && builder_.sites() < TraceBuilder::kMostSites) {
    site = builder_.add_site(kind.define(variant));
  }
  return site;
}

void Import::event(const Blob& blob) {
  EventKind& kind = kinds_.of(blob.metadata_id);
  if (facts_.version < kTraceVersion) {  // without sequence numbers
    if (blob.stack.empty()) return deliver(kind, blob, nullptr);
    const std::string stack = frames_of(blob.stack);
    return deliver(kind, blob, &stack);
  }
  const std::uint32_t lost = ledger_.event(blob.capture_thread, blob.sequence);
  if (lost != 0) [[unlikely]] {
    builder_.lost(stream_of({blob.capture_thread, blob.capture_thread, process_of(kind)}),
                  unix_ns(blob.timestamp), lost);
  }
  if (kind.metadata.names_threads && take_thread_name(blob)) return;
  if (blob.stack_id == 0) return deliver(kind, blob, nullptr);
  const auto found = stacks_.find(blob.stack_id);
  if (found != stacks_.end()) return deliver(kind, blob, &found->second);
  // The stack can come after the event.
  kind.is_waited_for = true;
  waiting_.push_back({&kind, blob, {}});
  Waiting& waiting = waiting_.back();
  waiting.payload.assign(reinterpret_cast<const char*>(blob.payload.data()), blob.payload.size());
  add_waiting(sizeof waiting + blob.payload.size());
}

void Import::add_waiting(std::size_t bytes) {
  waiting_bytes_ += bytes;
  if (waiting_bytes_ <= kMostWaitingBytes) return;
  report_.lost(kLateStack, waiting_.size());
  end_region();
}

// In Ringside's form; false if it is invalid, and then the event is treated like others.
bool Import::take_thread_name(const Blob& blob) {
  if (blob.payload.size() < 8) return false;
  const auto thread = trace::load<std::uint64_t>(blob.payload.data());
  const std::span<const std::byte> name = blob.payload.subspan(8);
  const std::size_t bytes = utf16_text_bytes(name);
  if (bytes == kNoUtf16End || thread_names_.size() >= TraceBuilder::kMostStreams) return false;
  std::string& text = thread_names_[thread];
  text.clear();
  append_utf8_of_utf16(text, name.first(std::min(bytes, kMostNettraceNameBytes)));
  // A changed name applies to the whole thread, as in the trace that was written.
  const auto process = processes_of_threads_.find(thread);
  const auto stream =
      streams_.find({thread, thread, process == processes_of_threads_.end() ? 0 : process->second});
  if (stream != streams_.end()) builder_.name_thread(stream->second, text);
  return true;
}

// For a Ringside record: the bytes after its fields.
void Import::put_extension(const Blob& blob, const EventKind& kind, std::span<const std::byte> rest,
                           trace::RecordExtension& extension) const {
  if (!is_zero(blob.activity)) {
    extension.ext_flags |= shm::kExtActivity;
    extension.activity = in_order_of_text(blob.activity);
  }
  if (!is_zero(blob.related)) {
    extension.ext_flags |= shm::kExtRelatedActivity;
    extension.related = in_order_of_text(blob.related);
  }
  if (!kind.own) return;
  const std::uint32_t flags = kind.own->ext_flags;
  const auto take = [&]<class Number>(std::uint32_t flag, Number& number) {
    if ((flags & flag) == 0 || rest.size() < sizeof number) return;
    number = trace::load<Number>(rest.data());
    rest = rest.subspan(sizeof number);
  };
  take(shm::kExtSubstream, extension.substream);
  take(shm::kExtStack, extension.stack_id);
  take(shm::kExtDuration, extension.duration);
  extension.ext_flags |= flags;
}

void Import::deliver(EventKind& kind, const Blob& blob, const std::string* stack) {
  const bool own = kind.own.has_value();
  const std::uint32_t process = process_of(kind);
  if (!kind.process) [[unlikely]]
    report_.lost(kMoreProcesses);
  const std::uint64_t ns = unix_ns(blob.timestamp);
  unsigned variant = kind.fit(blob.payload, report_);
  if (blob.processor != kUnknownProcessor && !own) variant |= kWithProcessor;
  if (stack != nullptr) variant |= kWithStack;
  if (blob.capture_thread != blob.thread) variant |= kWithCaptureThread;
  if (blob.thread > UINT32_MAX && !own) variant |= kWithThread;
  // Ringside's own records never have these variants.
  if (own && variant != 0) variant = kBytesOnly;
  const std::uint32_t site = site_of(kind, variant);
  if (site == 0) return report_.lost(kMoreEventTypes);
  const StreamKey key{blob.thread, blob.capture_thread, process};
  if (own && last_key_ != key) processes_of_threads_[blob.capture_thread] = process;
  const std::uint32_t stream = stream_of(key);
  std::size_t value_bytes_taken = 0;
  std::span<const std::byte> payload = blob.payload;
  const bool own_extension = own && variant == 0 && kind.own->ext_flags != 0;
  trace::RecordExtension extension;
  if (own_extension) {
    put_extension(blob, kind, payload.subspan(kind.plan.bytes_of(payload)), extension);
  } else if (!is_zero(blob.activity) || !is_zero(blob.related)) {
    put_extension(blob, kinds_.unknown(), {}, extension);
  }
  if (own && blob.processor != kUnknownProcessor) {
    extension.processor = shm::processor_code(blob.processor);
  }
  std::uint8_t opcode = 0;  // of an activity
  if (!own && !is_zero(blob.activity)) [[unlikely]]
    opcode = kind.opcode().value_or(0);
  builder_.begin(stream, site, ns, opcode == kOpcodeStart ? trace::RecordExtension() : extension);
  if ((variant & kBytesOnly) != 0) {
    builder_.put_text({reinterpret_cast<const char*>(payload.data()), payload.size()});
  } else {
    value_bytes_taken = kind.put(payload, builder_, report_);
  }
  if ((variant & kWithExtra) != 0) {
    payload = payload.subspan(value_bytes_taken);
    builder_.put_text({reinterpret_cast<const char*>(payload.data()), payload.size()});
  }
  if ((variant & kWithProcessor) != 0) builder_.put(blob.processor);
  if ((variant & kWithCaptureThread) != 0) builder_.put(blob.capture_thread);
  if ((variant & kWithThread) != 0) builder_.put(blob.thread);
  if ((variant & kWithStack) != 0) {
    builder_.put_array(*stack, static_cast<std::uint32_t>(stack->size() / 8), 8);
  }
  if (opcode != kOpcodeStart && opcode != kOpcodeStop) return builder_.end();
  const std::string name = kind.event_name();
  const ActivityTask task{extension.activity, kind.metadata.provider, task_of(name)};
  if (opcode == kOpcodeStart) {
    return spans_.start(task, {stream, site, ns, extension, builder_.withdraw()});
  }
  builder_.end();
  spans_.stop(task, ns);
}

// The addresses with 8 bytes each.
std::string Import::frames_of(std::span<const std::byte> addresses) const {
  const std::size_t width = pointer_bytes();
  std::string frames;
  for (std::size_t i = 0; i + width <= addresses.size(); i += width) {
    const std::uint64_t address = trace::load_bytes(addresses.data() + i, width);
    frames.append(reinterpret_cast<const char*>(&address), sizeof address);
  }
  return frames;
}

void Import::stack(std::uint32_t id, std::span<const std::byte> addresses) {
  std::string frames = frames_of(addresses);
  stack_bytes_ += frames.size() + sizeof(std::string);
  if (stack_bytes_ > kMostStackBytes) return report_.lost(kManyStacks);
  stacks_[id] = std::move(frames);
}

void Import::end_region() {
  std::vector<Waiting> waiting = std::move(waiting_);
  waiting_.clear();
  waiting_bytes_ = 0;
  for (Waiting& w : waiting) {
    w.kind->is_waited_for = false;
    w.blob.payload = std::as_bytes(std::span(w.payload));
    const auto found = stacks_.find(w.blob.stack_id);
    deliver(*w.kind, w.blob, found == stacks_.end() ? nullptr : &found->second);
  }
  retired_.clear();
}

void Import::end() {
  end_region();
  spans_.end();
  if (processes_.empty()) plain_process();  // a trace without events has a process, too
}

void Import::sequence_point(std::uint64_t timestamp, std::uint32_t) {
  end_region();
  stacks_ = decltype(stacks_)();  // clear() takes time for all buckets there have ever been
  stack_bytes_ = 0;
  point_ = unix_ns(timestamp);
}

void Import::sequence_point_thread(std::uint64_t thread, std::uint32_t sequence) {
  const std::uint32_t lost = ledger_.sequence_point(thread, sequence);
  if (lost == 0) return;
  const auto found = processes_of_threads_.find(thread);
  const std::uint32_t process =
      found != processes_of_threads_.end() ? found->second : plain_process();
  builder_.lost(stream_of({thread, thread, process}), point_, lost);
}

void Import::sequence_point_end() {
  builder_.settle(std::min(point_, spans_.earliest()));
}

}  // namespace
}  // namespace nettrace

ReadOutcome read_nettrace(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  nettrace::Import import(builder, report);
  nettrace::Reader reader(input, import);
  ReadOutcome outcome = reader.read();
  if (outcome.end != ReadEnd::kRefused) import.end();
  return outcome;
}

}  // namespace ringside::tool
