#include "tools/interop/ringtrace_format.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/clock_facts.hpp"
#include "tools/interop/collected_span.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint32_t kZstdMagic = 0xFD2FB528;

std::string_view block_name(trace::BlockType type) {
  constexpr std::array<std::string_view, 16> kNames{
      "?",           "HEADER",       "DICTIONARY", "EXTENT",    "CLOCK",  "SEQUENCE_POINT",
      "STACK_TABLE", "STRING_TABLE", "INDEX",      "END",       "STREAM", "LOSSES",
      "COLLECTION",  "COLUMNS",      "SHIPPED",    "CALL_COSTS"};
  const auto number = static_cast<std::size_t>(type);
  return number < kNames.size() ? kNames[number] : kNames[0];
}

struct BlockFacts {
  std::uint64_t offset;
  trace::BlockFrame frame;
  trace::ExtentHeader extent;
  trace::ClockPoint clock;
};

void put_block(const BlockFacts& facts, InspectStyle style, bool first, OutputBytes& output) {
  const std::string_view type = block_name(facts.frame.type);
  const bool is_extent = facts.frame.type == trace::BlockType::kExtent;
  const std::uint64_t stream = is_extent ? facts.extent.stream_id : 0;
  const std::uint32_t records = is_extent ? facts.extent.records : 0;
  const bool is_clock = facts.frame.type == trace::BlockType::kClock;
  switch (style) {
    case InspectStyle::kJson:
      output.put(fmt::format("{}\n  {{\"offset\": {}, \"type\": \"{}\", \"payload_bytes\": {}",
                             first ? "" : ",", facts.offset, type, facts.frame.payload_bytes));
      if (is_extent) output.put(fmt::format(", \"stream\": {}, \"records\": {}", stream, records));
      if (is_clock) output.put(clock_facts(facts.clock, style));
      return output.put("}");
    case InspectStyle::kCsv:
      return output.put(fmt::format("{},{},{},{},{}\n", facts.offset, type,
                                    facts.frame.payload_bytes, stream, records));
    case InspectStyle::kText:
      output.put(
          fmt::format("{:>12} {:<14} {:>9} bytes", facts.offset, type, facts.frame.payload_bytes));
      if (is_extent) output.put(fmt::format("  stream {}, {} records", stream, records));
      if (is_clock) output.put(clock_facts(facts.clock, style));
      return output.put("\n");
  }
}

void put_end(InspectStyle style, const std::string& error, bool first, OutputBytes& output) {
  if (style != InspectStyle::kJson) return;
  output.put(first ? "],\n" : "\n ],\n");
  output.put(error.empty() ? " \"error\": null\n}\n"
                           : fmt::format(" \"error\": \"{}\"\n}}\n", error));
}

class RingtraceWriter final : public TraceWriter {
 public:
  RingtraceWriter(OutputBytes& output, ConversionReport& report)
      : output_(output), report_(report), builder_(report) {}

  void add(const trace::Event& event) override {
    const Section& section = section_of(event);
    if (event.kind == trace::EventKind::kSiteLoss) return;
    const std::uint32_t stream = stream_of(section, event);
    if (event.kind == trace::EventKind::kLoss) {
      builder_.lost(stream, event.unix_ns, event.lost, event.cause);
      return;
    }
    const trace::Site& site = *event.record.site;
    trace::RecordExtension extension = event.record;
    if (event.segment->tick_hz != 0 && (extension.ext_flags & shm::kExtDuration) != 0) {
      __extension__ using Wide = unsigned __int128;
      extension.duration = static_cast<std::uint64_t>(Wide{extension.duration} * 1'000'000'000 /
                                                      event.segment->tick_hz);
    }
    builder_.begin(stream, site_of(event.section, site), event.unix_ns, extension);
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      if (!site.fields[i].is_constant()) builder_.put_value(event.record.args[i]);
    }
    builder_.end();
  }

  void use_collection(const std::shared_ptr<const trace::CollectionHistory>& collection) override {
    collection_ = collection;
  }

  void end() override {
    for (const auto& [uuid, process] : processes_) state_collection(uuid, process);
    // Without events, too, the output is a valid trace.
    if (processes_.empty()) builder_.add_process({});
    std::string error;
    for (const std::string& path : builder_.finish(&error)) {
      const auto section = InputBytes::open(path, &error);
      if (section == nullptr) break;
      for (auto bytes = section->peek(1); !bytes.empty(); bytes = section->peek(1)) {
        output_.put(bytes);
        section->skip(bytes.size());
      }
    }
    if (!error.empty()) output_.fail(error);
  }

 private:
  struct Section {
    std::uint32_t process = 0;
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

  // Merges sections of one segment.
  const Section& section_of(const trace::Event& event) {
    const auto found = sections_.find(event.section);
    if (found != sections_.end()) return found->second;
    const trace::SegmentInfo& segment = *event.segment;
    auto process = processes_.find(segment.uuid);
    if (process == processes_.end()) {
      std::uint32_t index = 0;
      if (processes_.size() < TraceBuilder::kMostProcesses) {
        index = builder_.add_process({segment.pid, segment.uid, segment.start_realtime_ns,
                                      segment.service, segment.executable, segment.host});
      } else {
        report_.lost("processes after the 200th became '(other processes)'");
        index = builder_.process_of_others();
      }
      process = processes_.emplace(segment.uuid, index).first;
    }
    return sections_.emplace(event.section, Section{process->second}).first->second;
  }

  std::uint32_t stream_of(const Section& section, const trace::Event& event) {
    const Key key{section.process, event.stream->id};
    const auto found = streams_.find(key);
    if (found != streams_.end()) {
      if (event.stream->thread_name != found->second.name) {
        found->second.name = event.stream->thread_name;
        builder_.name_thread(found->second.index, found->second.name);
      }
      return found->second.index;
    }
    const std::uint32_t index =
        streams_.size() < TraceBuilder::kMostStreams
            ? builder_.add_stream(section.process,
                                  {event.stream->thread_id, event.stream->thread_name})
            : 0;
    streams_.emplace(key, Stream{index, event.stream->thread_name});
    return index;
  }

  std::uint32_t site_of(std::uint32_t section, const trace::Site& site) {
    const Key key{section, site.id};
    const auto found = sites_.find(key);
    if (found != sites_.end()) return found->second;
    const std::uint32_t id = site_in(sections_.at(section).process, site);
    sites_.emplace(key, id);
    return id;
  }

  // One for all sections of a process, as they have the same ids; a damaged one can differ.
  std::uint32_t site_in(std::uint32_t process, const trace::Site& site) {
    SiteDefinition definition = definition_of(site);
    std::vector<KnownSite>& known = known_[{process, site.id}];
    for (const KnownSite& one : known) {
      if (one.definition == definition) return one.id;
    }
    const std::uint32_t id = builder_.add_site(definition);
    known.push_back({std::move(definition), id});
    return id;
  }

  void state_collection(const std::array<std::uint8_t, 16>& uuid, std::uint32_t process) {
    const trace::CollectedSegment* const segment =
        collection_ == nullptr ? nullptr : collection_->find(uuid);
    if (segment == nullptr) return;
    for (const trace::CollectedSpan& span : segment->spans) {
      const CollectedInUnixTime collected = in_unix_time(
          *segment, span, [&](const trace::Site& site) { return site_in(process, site); });
      if (builder_.collected(process, collected.state, collected.effects)) continue;
      report_.note("later changes of what was collected are left out: more than 16 MiB");
      return;
    }
  }

  struct Stream {
    std::uint32_t index;
    std::string name;
  };
  struct KnownSite {
    SiteDefinition definition;
    std::uint32_t id;
  };

  OutputBytes& output_;
  ConversionReport& report_;
  TraceBuilder builder_;
  std::unordered_map<std::uint32_t, Section> sections_;
  std::map<std::array<std::uint8_t, 16>, std::uint32_t> processes_;
  std::unordered_map<Key, Stream, KeyHash> streams_;
  std::unordered_map<Key, std::uint32_t, KeyHash> sites_;
  std::unordered_map<Key, std::vector<KnownSite>, KeyHash> known_;  // by process and site
  std::shared_ptr<const trace::CollectionHistory> collection_;
};

}  // namespace

SiteDefinition definition_of(const trace::Site& site) {
  SiteDefinition definition;
  definition.kind = site.kind;
  definition.level = site.level;
  definition.style = static_cast<shm::FormatStyle>(site.style);
  definition.keywords = site.keywords;
  definition.line = site.line;
  definition.name = site.name;
  definition.category = site.category;
  definition.format = site.format;
  definition.file = site.file;
  definition.function = site.function;
  for (const trace::Field& field : site.fields) {
    FieldDefinition& f = definition.fields.emplace_back();
    f.name = field.name;
    f.type = field.is_array ? shm::array_of(field.type) : field.type;
    if (field.is_constant()) f.constant = field.constant;
    f.is_format_argument = (field.flags & shm::kFieldFormatArg) != 0;
    if (field.enum_table != nullptr) f.enum_names = field.enum_table->names;
  }
  return definition;
}

bool recognise_ringtrace(std::span<const std::byte> first_bytes) {
  trace::BlockFrame frame;
  if (trace::parse_block_frame(first_bytes, frame)) return true;
  return first_bytes.size() >= 4 && trace::load<std::uint32_t>(first_bytes.data()) == kZstdMagic;
}

ReadOutcome inspect_ringtrace(InputBytes& input, InspectStyle style, OutputBytes& output) {
  std::span<const std::byte> head = input.peek(trace::kBlockHeaderBytes);
  trace::BlockFrame frame;
  if (!trace::parse_block_frame(head, frame)) {
    return ReadOutcome::refused(
        0, "not a block of a Ringside trace; unpack a packed file with `ringcat unpack --keep`");
  }
  if (style == InspectStyle::kJson)
    output.put("{\n \"schema\": \"ringtrace-blocks-1\",\n \"blocks\": [");
  if (style == InspectStyle::kCsv) output.put("offset,type,payload_bytes,stream,records\n");
  ReadOutcome outcome;
  bool first = true;
  for (; !head.empty(); head = input.peek(trace::kBlockHeaderBytes)) {
    BlockFacts facts{input.offset(), {}, {}, {}};
    if (!trace::parse_block_frame(head, facts.frame)) {
      outcome = ReadOutcome::damaged(facts.offset, "not a block; run `ringcat verify` for details");
      break;
    }
    const std::span<const std::byte> block = input.peek(facts.frame.block_bytes());
    if (block.size() < facts.frame.block_bytes()) {
      outcome = ReadOutcome::damaged(facts.offset, "the file ends within this block");
      break;
    }
    const auto payload = block.subspan(trace::kBlockHeaderBytes, facts.frame.payload_bytes);
    trace::ExtentHeader::parse(payload, facts.extent);
    trace::ClockPoint::parse(payload, facts.clock);
    put_block(facts, style, first, output);
    first = false;
    input.skip(facts.frame.block_bytes());
  }
  put_end(style, outcome.message, first, output);
  return outcome;
}

std::unique_ptr<TraceWriter> write_ringtrace(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<RingtraceWriter>(output, report);
}

}  // namespace ringside::tool
