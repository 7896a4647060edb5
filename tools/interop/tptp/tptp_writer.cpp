#include "tools/interop/tptp/tptp_writer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "tools/interop/tptp/tptp_collection_messages.hpp"
#include "tools/interop/tptp/tptp_encoder.hpp"
#include "tools/interop/tptp/tptp_native_site.hpp"
#include "tools/interop/tptp/tptp_own_records.hpp"
#include "tools/interop/tptp/tptp_record_text.hpp"
#include "tools/interop/tptp/tptp_structure.hpp"

namespace ringside::tool::tptp {
namespace {

// Limit of open spans; beyond it ends are written early.
constexpr std::size_t kMostOpenSpans = std::size_t{1} << 20;

class Writer final : public TraceWriter {
 public:
  Writer(std::unique_ptr<Encoder> encoder, ConversionReport& report)
      : encoder_(std::move(encoder)),
        report_(report),
        structure_(*encoder_, report),
        collection_messages_(*encoder_) {
    encoder_->begin();
  }

  void use_collection(const std::shared_ptr<const trace::CollectionHistory>& collection) override {
    collection_ = collection;
  }

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    last_unix_ns_ = event.unix_ns;
    end_spans(event.unix_ns);
    if (event.kind == trace::EventKind::kLoss) return add_loss(event);
    Site& site = site_of(event);
    if (site.native != nullptr) {
      take_native(*site.native, event.record.args, event.unix_ns, native_);
      return encoder_->put(native_);
    }
    const Process& process = process_of(event);
    state_collection(event.unix_ns);
    if (site.number == 0) define_site(process, *event.record.site, event.unix_ns, site);
    Stream& stream = stream_of(process, event);
    if (event.record.site->kind == shm::SiteKind::kSpan) {
      begin_span(event, process, site, stream);
    } else {
      add_record(event, process, site, stream);
    }
  }

  void end() override {
    end_spans(std::numeric_limits<std::uint64_t>::max());
    for (auto& [uuid, process] : processes_) {
      last_process_ = &process;
      state_collection(std::numeric_limits<std::uint64_t>::max());
    }
    for (const auto& [uuid, process] : processes_) {
      structure_.end_process(process.id, last_unix_ns_);
    }
    encoder_->end();
  }

 private:
  struct Process {
    std::uint64_t number = 0;
    std::string id;
    const trace::CollectedSegment* collected = nullptr;  // null: nothing more to state
    std::size_t stated = 0;                              // spans of it that are written
  };
  struct Definition {
    std::uint64_t number = 0;
    std::uint64_t class_number = 0;
  };
  struct Site {
    bool known = false;
    const MessageType* native = nullptr;
    std::uint64_t number = 0;  // 0: not defined yet
    std::uint64_t class_number = 0;
  };
  struct Stream {
    std::uint64_t number = 0;
    std::string name;
    std::int64_t open_spans = 0;
  };
  struct OpenSpan {
    std::uint64_t end_unix_ns = 0;
    std::uint64_t ordinal = 0;
    const Process* process = nullptr;
    Stream* stream = nullptr;
    std::uint64_t site = 0;

    // Spans that end first come first; of several with the same end, the one that began last.
    bool operator<(const OpenSpan& other) const {
      return end_unix_ns != other.end_unix_ns ? end_unix_ns > other.end_unix_ns
                                              : ordinal < other.ordinal;
    }
    std::int32_t ticket() const { return static_cast<std::int32_t>(ordinal & 0x7FFF'FFFF); }
  };
  struct Key {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.a * 0x9E3779B97F4A7C15U ^ key.b);
    }
  };

  // Merges sections of one segment to one process.
  const Process& process_of(const trace::Event& event) {
    if (event.section == last_section_ && last_process_ != nullptr) return *last_process_;
    const trace::SegmentInfo& segment = *event.segment;
    auto found = processes_.find(segment.uuid);
    if (found == processes_.end()) {
      const std::uint64_t number = processes_.size() + 1;
      Process process{number, std::string(kOwnPrefix) + std::to_string(number)};
      found = processes_.emplace(segment.uuid, std::move(process)).first;
      structure_.begin_process(segment, found->second.id);
      if (collection_ != nullptr) found->second.collected = collection_->find(segment.uuid);
    }
    last_section_ = event.section;
    last_process_ = &found->second;
    return found->second;
  }

  Stream& stream_of(const Process& process, const trace::Event& event) {
    const auto [found, is_new] = streams_.try_emplace(Key{process.number, event.stream->id});
    Stream& stream = found->second;
    if (!is_new && stream.name == event.stream->thread_name) return stream;
    if (is_new) stream.number = streams_.size();
    stream.name = event.stream->thread_name;
    structure_.begin_thread(process.id, stream.number, *event.stream, event.unix_ns);
    return stream;
  }

  Site& site_of(const trace::Event& event) {
    Site& site = sites_[Key{event.section, event.record.site->id}];
    if (!site.known) site.native = native_type_of(*event.record.site);
    site.known = true;
    return site;
  }

  void define_site(const Process& process, const trace::Site& definition, std::uint64_t unix_ns,
                   Site& site) {
    const Definition& defined = definition_of_site(process, definition, unix_ns);
    site.number = defined.number;
    site.class_number = defined.class_number;
  }

  // One for all sections of a process, as they have the same ids.
  const Definition& definition_of_site(const Process& process, const trace::Site& definition,
                                       std::uint64_t unix_ns) {
    std::string text;
    append_definition(text, definition);
    const std::string key = process.id + ' ' + std::to_string(definition.id) + text;
    Definition& defined = definitions_[key];
    if (defined.number != 0) return defined;
    defined.number = ++defined_sites_;
    if (definition.kind == shm::SiteKind::kSpan) {
      defined.class_number =
          structure_.define_method(process.id, defined.number, definition, unix_ns);
    }
    start_text(process, kSiteWord);
    append_number(text_, defined.number);
    text_ += text;
    put_text();
    return defined;
  }

  // What was collected from the last process up to this time; at first always the first span.
  void state_collection(std::uint64_t unix_ns) {
    Process& process = *last_process_;
    while (process.collected != nullptr) {
      const std::vector<trace::CollectedSpan>& spans = process.collected->spans;
      const bool is_over = process.stated == spans.size();
      if (is_over || is_of_foreign_trace(spans[process.stated])) {
        process.collected = nullptr;
        return;
      }
      const trace::CollectedSpan& span = spans[process.stated];
      if (process.stated != 0 && span.until_ns > unix_ns) return;
      ++process.stated;
      collection_messages_.write(
          process.id, *process.collected, span, [&](const trace::Site& definition) {
            return static_cast<std::uint32_t>(
                definition_of_site(process, definition, span.until_ns).number);
          });
    }
  }

  void start_text(const Process& process, std::string_view word) {
    text_ = process.id;
    append_word(text_, word);
  }
  void put_text() {
    Message& message = structure_.start(kCustomId, 0);
    message.texts[0] = text_;
    encoder_->put(message);
  }

  static std::uint64_t duration_ns_of(const trace::Event& event) {
    const std::uint64_t hz = event.segment->tick_hz;
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t ticks = event.record.duration;
    return hz == 0 ? ticks : static_cast<std::uint64_t>(Wide{ticks} * 1'000'000'000 / hz);
  }

  // Extension and values.
  void append_rest(const trace::Event& event) {
    const trace::Record& record = event.record;
    append_extension(text_, record, duration_ns_of(event));
    for (std::size_t i = 0; i < record.site->fields.size(); ++i) {
      if (!record.site->fields[i].is_constant()) append_value(text_, record.args[i]);
    }
  }

  void add_record(const trace::Event& event, const Process& process, const Site& site,
                  const Stream& stream) {
    start_text(process, kRecordWord);
    append_number(text_, site.number);
    append_number(text_, stream.number);
    append_number(text_, event.unix_ns);
    append_rest(event);
    put_text();
  }

  void add_loss(const trace::Event& event) {
    const Process& process = process_of(event);
    const Stream& stream = stream_of(process, event);
    start_text(process, kLossWord);
    append_number(text_, stream.number);
    append_number(text_, event.unix_ns);
    append_number(text_, event.lost);
    append_number(text_, static_cast<std::uint64_t>(event.cause));
    put_text();
  }

  void begin_span(const trace::Event& event, const Process& process, const Site& site,
                  Stream& stream) {
    text_.clear();
    append_rest(event);
    const bool has_end = (event.record.ext_flags & shm::kExtDuration) != 0;
    OpenSpan span{event.unix_ns, ++spans_, &process, &stream, site.number};
    Message& message = structure_.start(kMethodEntryId, event.unix_ns);
    set(message, "threadIdRef", static_cast<std::int64_t>(stream.number));
    set(message, "methodIdRef", static_cast<std::int64_t>(site.number));
    set(message, "ticket", span.ticket());
    set(message, "classIdRef", static_cast<std::int64_t>(site.class_number));
    set(message, "stackDepth", stream.open_spans + 1);
    set(message, "collationValue", text_);
    set(message, "traceIdRef", process.id);
    encoder_->put(message);
    if (!has_end) return;
    const std::uint64_t duration = duration_ns_of(event);
    span.end_unix_ns += std::min(duration, UINT64_MAX - span.end_unix_ns);
    ++stream.open_spans;
    open_spans_.push(span);
    if (open_spans_.size() <= kMostOpenSpans) return;
    report_.lost("ends of spans come before their time: more than a million spans are open");
    end_span();
  }

  void end_spans(std::uint64_t until_unix_ns) {
    while (!open_spans_.empty() && open_spans_.top().end_unix_ns <= until_unix_ns) end_span();
  }

  void end_span() {
    const OpenSpan span = open_spans_.top();
    open_spans_.pop();
    --span.stream->open_spans;
    Message& message = structure_.start(kMethodExitId, span.end_unix_ns);
    set(message, "threadIdRef", static_cast<std::int64_t>(span.stream->number));
    set(message, "ticket", span.ticket());
    set(message, "methodIdRef", static_cast<std::int64_t>(span.site));
    set(message, "traceIdRef", span.process->id);
    encoder_->put(message);
  }

  std::unique_ptr<Encoder> encoder_;
  ConversionReport& report_;
  StructureMessages structure_;
  CollectionMessages collection_messages_;
  std::shared_ptr<const trace::CollectionHistory> collection_;
  Message native_;
  std::string text_;
  // Nodes do not move.
  std::map<std::array<std::uint8_t, 16>, Process> processes_;
  std::unordered_map<Key, Stream, KeyHash> streams_;
  std::unordered_map<Key, Site, KeyHash> sites_;
  std::unordered_map<std::string, Definition> definitions_;
  std::priority_queue<OpenSpan> open_spans_;
  std::uint32_t last_section_ = 0;
  Process* last_process_ = nullptr;
  std::uint64_t defined_sites_ = 0;
  std::uint64_t spans_ = 0;
  std::uint64_t last_unix_ns_ = 0;
};

}  // namespace

std::unique_ptr<TraceWriter> write_binary(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<Writer>(std::make_unique<BinaryEncoder>(output, report), report);
}

std::unique_ptr<TraceWriter> write_xml(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<Writer>(std::make_unique<XmlEncoder>(output, report), report);
}

}  // namespace ringside::tool::tptp
