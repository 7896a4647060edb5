#include "tools/interop/trace_builder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <sys/random.h>

#include "shm-layout/record_head.hpp"
#include "tools/files/ring_record.hpp"
#include "tools/interop/ring_order.hpp"
#include "tools/interop/site_entries.hpp"
#include "tools/interop/trace_builder_process.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostThreadNameBytes = 4096;  // the dictionary's limit
constexpr std::string_view kCutNames =
    "a name of more than 4096 bytes or a constant of more than 8192 is truncated wherever it is "
    "used";
// The size of the records of one extent, unless one record is larger. Readers put the records of an
// extent in order if their times go back, up to 2^18 records.
constexpr std::size_t kExtentBytes = std::size_t{512} << 10;
// The memory that streams together keep for their next records. Without this limit each of many
// streams would keep as much as it once needed.
constexpr std::size_t kMostSpareBytes = std::size_t{32} << 20;
// The limit of a stream: its 64-bit sequence numbers never run out.
constexpr std::uint64_t kMostLost = std::uint64_t{1} << 62;
// The size of a dictionary block's entries: this much and one entry more.
constexpr std::size_t kDictionaryBytes = std::size_t{1} << 20;
constexpr std::uint64_t kTickHz = 1'000'000'000;
// The header of a process that is named later: room for two names.
constexpr std::size_t kRenamedHeaderBytes = 4096;
constexpr std::size_t kMostRenamedBytes = 1000;
constexpr std::size_t kMostCollectedBytes = std::size_t{16} << 20;

}  // namespace

TraceBuilder::TraceBuilder(ConversionReport& report) : report_(report), encoder_(sites_) {}

TraceBuilder::~TraceBuilder() = default;

std::uint32_t TraceBuilder::add_process(const ProcessDefinition& definition) {
  assert(has_room_for_process());
  Process& process = processes_.emplace_back();
  process.definition = definition;
  std::string error;
  process.file = OutputFile::create_unnamed(&error);
  if (process.file == nullptr) {
    if (failure_.empty()) failure_ = error;
    return static_cast<std::uint32_t>(processes_.size() - 1);
  }
  process.section = std::make_unique<SectionWriter>(*process.file);
  // Without random bytes, sections of several imports could appear to belong to one segment.
  [[maybe_unused]] const ssize_t got = ::getrandom(process.uuid.data(), process.uuid.size(), 0);
  process.section->add(make_header(process));
  trace::ClockPoint clock;
  clock.ns_per_tick = trace::ns_per_tick_of(kTickHz);
  process.section->add(
      make_block([&](std::span<std::byte> out) { return trace::write_clock_block(clock, out); }));
  return static_cast<std::uint32_t>(processes_.size() - 1);
}

bool TraceBuilder::has_room_for_process() const {
  return processes_.size() < kMostProcesses + (others_ ? 1 : 0);
}

std::uint32_t TraceBuilder::process_of_others() {
  if (!others_) {
    others_ = static_cast<std::uint32_t>(processes_.size());
    ProcessDefinition others;
    others.service = "(other processes)";
    others.host = "(other hosts)";
    add_process(others);
  }
  return *others_;
}

std::span<const std::byte> TraceBuilder::make_header(const Process& process) {
  const ProcessDefinition& definition = process.definition;
  trace::SectionHeader header;
  header.uuid = process.uuid;
  header.pid = definition.pid;
  header.uid = definition.uid;
  header.tick_hz = kTickHz;
  header.start_tsc = header.start_realtime_ns = definition.start_unix_ns;
  header.clock_source = trace::ClockSource::kMonotonicNs;
  header.service = definition.service;
  header.executable = definition.executable;
  header.host = definition.host;
  const auto block =
      make_block([&](std::span<std::byte> out) { return trace::write_header_block(header, out); });
  if (!definition.is_named_later) return block;
  // Readers ignore the bytes after the texts, which leave room for longer names.
  assert(block.size() <= kRenamedHeaderBytes && block_.size() >= kRenamedHeaderBytes);
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(block.size()),
            block_.begin() + kRenamedHeaderBytes, std::byte{0});
  trace::write_block_frame(block_.data(), trace::BlockType::kHeader,
                           kRenamedHeaderBytes - trace::kBlockHeaderBytes);
  return std::span(block_).first(kRenamedHeaderBytes);
}

void TraceBuilder::name_process(std::uint32_t process, std::string_view service) {
  if (process == others_) return;
  assert(processes_[process].definition.is_named_later);
  processes_[process].definition.service = service.substr(0, kMostRenamedBytes);
  processes_[process].is_renamed = true;
}

void TraceBuilder::name_host(std::uint32_t process, std::string_view host) {
  if (process == others_) return;
  assert(processes_[process].definition.is_named_later);
  processes_[process].definition.host = host.substr(0, kMostRenamedBytes);
  processes_[process].is_renamed = true;
}

std::uint32_t TraceBuilder::add_stream(std::uint32_t process, const StreamDefinition& definition) {
  assert(streams_.size() < kMostStreams && process < processes_.size());
  Stream& stream = streams_.emplace_back();
  stream.process = process;
  stream.definition = definition;
  if (definition.thread_name.size() > kMostThreadNameBytes) {
    stream.definition.thread_name.resize(kMostThreadNameBytes);
  }
  stream.cursor.stream_id = streams_.size();
  return static_cast<std::uint32_t>(streams_.size() - 1);
}

void TraceBuilder::name_thread(std::uint32_t stream, std::string_view name) {
  streams_[stream].definition.thread_name = name.substr(0, kMostThreadNameBytes);
  streams_[stream].announced = false;
}

std::uint32_t TraceBuilder::add_site(const SiteDefinition& site) {
  assert(definitions_ < kMostSites && site.fields.size() <= shm::kMaxFields);
  if (!is_carried_whole(site)) report_.lost(kCutNames);
  for (std::vector<std::byte>& entry : site_entries(site, ++definitions_, enum_tables_)) {
    add_entry(std::move(entry));
  }
  return definitions_;
}

void TraceBuilder::add_entry(std::vector<std::byte> entry) {
  std::string why;
  [[maybe_unused]] const bool sound = sites_.add(entry, &why);
  assert(sound);
  entries_.push_back(std::move(entry));
}

void TraceBuilder::open_far(std::uint32_t stream, std::uint64_t unix_ns) {
  Stream& s = streams_[stream];
  if (!s.waits) {
    s.waits = true;
    s.goes_back = false;
    s.last_tsc = unix_ns;
    waiting_.push_back(stream);
    spare_ -= s.ring.capacity();
  }
  std::string clock;
  append_clock_record(unix_ns, s.processor, clock);
  s.ring.append(clock.data(), clock.size());
}

void TraceBuilder::move_to(std::uint32_t stream, std::uint32_t processor) {
  Stream& s = streams_[stream];
  s.processor = processor;
  if (!s.waits) return;  // its next record follows a clock record
  std::string clock;
  append_clock_record(s.last_tsc, processor, clock);
  s.ring.append(clock.data(), clock.size());
  pending_ += clock.size();
}

void TraceBuilder::begin(std::uint32_t stream, std::uint32_t site, std::uint64_t unix_ns,
                         const trace::RecordExtension& extension) {
  if (streams_[stream].processor != extension.processor) [[unlikely]]
    move_to(stream, extension.processor);
  const std::uint32_t flags = extension.ext_flags & ~shm::kExtFromEnd;  // records are sorted
  if (flags == 0) return begin(stream, site, unix_ns);
  open(stream, unix_ns);
  extended_ = true;
  put_head(unix_ns, shm::kCodeExtended);
  put(site);
  put(flags);
  put(std::uint32_t{0});
  if ((extension.ext_flags & shm::kExtSubstream) != 0) put(extension.substream);
  if ((extension.ext_flags & shm::kExtActivity) != 0) append(extension.activity.data(), 16);
  if ((extension.ext_flags & shm::kExtRelatedActivity) != 0) append(extension.related.data(), 16);
  if ((extension.ext_flags & shm::kExtStack) != 0) put(extension.stack_id);
  if ((extension.ext_flags & shm::kExtDuration) != 0) put(extension.duration);
}

// The head of an extended record contains its size.
void TraceBuilder::close_extended() {
  RecordBytes& ring = open_->ring;
  const auto bytes = static_cast<std::uint32_t>(ring.size() - record_at_);
  std::memcpy(ring.at(record_at_ + 16), &bytes, sizeof bytes);
  extended_ = false;
}

// A cut record has a flag for it, which only an extended record can have. All its values are
// present by now, so that exactly the excess is removed.
void TraceBuilder::cut_record() {
  report_.lost("texts or arrays are truncated: a record has at most 1 MiB");
  RecordBytes& ring = open_->ring;
  if (!extended_) {
    std::uint64_t head = 0;
    std::memcpy(&head, ring.at(record_at_), sizeof head);
    const std::array<std::uint32_t, 3> parts{shm::head_id(head), 0, 0};
    head = (head & ~shm::kHeadIdMask) | shm::kCodeExtended;
    std::memcpy(ring.at(record_at_), &head, sizeof head);
    ring.insert(record_at_ + sizeof head, parts.data(), sizeof parts);
    extended_ = true;
  }
  std::uint32_t site = 0;
  std::uint32_t flags = 0;
  std::memcpy(&site, ring.at(record_at_ + 8), sizeof site);
  std::memcpy(&flags, ring.at(record_at_ + 12), sizeof flags);
  const std::size_t values_at = shm::kExtendedHeadBytes + shm::extended_parts_bytes(flags);
  flags |= shm::kExtCut;
  std::memcpy(ring.at(record_at_ + 12), &flags, sizeof flags);
  const std::size_t begin = record_at_ + values_at;
  const std::string_view values(reinterpret_cast<const char*>(ring.at(begin)), ring.size() - begin);
  const std::string cut =
      cut_values(sites_.find(site)->plan, values, shm::kMaxRecordBytes - values_at);
  ring.shorten(begin);
  ring.append(cut.data(), cut.size());
}

void TraceBuilder::put_large_value(const trace::Value& value) {
  if (shm::is_array(value.type)) {
    return put_array(value.text, value.count, shm::fixed_size(shm::element_type(value.type)));
  }
  if (shm::is_variable_length(value.type)) return put_text(value.text);
  std::array<std::uint64_t, 2> halves{value.u64, value.high};
  append(halves.data(), shm::fixed_size(value.type));
}

void TraceBuilder::lost(std::uint32_t stream, std::uint64_t unix_ns, std::uint64_t count,
                        shm::LossCause cause) {
  const std::uint64_t room = kMostLost - streams_[stream].lost;
  if (count > room) {
    report_.lost("counts of lost records above 2^62 per thread are left out");
    count = room;
  }
  if (count == 0) return;
  open(stream, unix_ns);
  open_->lost += count;
  --records_;
  std::string drop;
  // From this the encoder knows the times of the following records; it does not use the times of
  // losses.
  append_clock_record(unix_ns, open_->processor, drop);
  append_drop_record(unix_ns, count, static_cast<std::uint32_t>(cause), drop);
  append(drop.data(), drop.size());
  pending_ += open_->ring.size() - record_at_;
  if (pending_ >= kPendingBytes) [[unlikely]]
    write_pending();
}

bool TraceBuilder::collected(std::uint32_t process, const trace::CollectionState& state,
                             std::span<const trace::RuleEffect> effects) {
  Process& p = processes_[process];
  const std::size_t bytes =
      trace::collection_block_bytes(state) + trace::rule_effects_block_bytes(effects);
  if (p.collected_bytes + bytes > kMostCollectedBytes) return false;
  p.collected_bytes += bytes;
  if (p.section == nullptr) return true;  // finish() reports why
  p.section->add(make_block(
      [&](std::span<std::byte> out) { return trace::write_collection_block(state, out); }));
  if (effects.empty()) return true;
  p.section->add(make_block(
      [&](std::span<std::byte> out) { return trace::write_rule_effects_block(effects, out); }));
  return true;
}

void TraceBuilder::announce(const Stream& stream, std::uint64_t stream_id) {
  const trace::StreamBlock block{
      stream_id, stream.last_tsc, stream.definition.thread_id, 0,
      std::string_view(stream.definition.thread_name).substr(0, kMostThreadNameBytes)};
  processes_[stream.process].section->add(
      make_block([&](std::span<std::byte> out) { return trace::write_stream_block(block, out); }));
}

void TraceBuilder::write_dictionary(Process& process) {
  std::vector<std::byte> batch;
  for (; process.entries_written < entries_.size(); ++process.entries_written) {
    const std::vector<std::byte>& entry = entries_[process.entries_written];
    batch.insert(batch.end(), entry.begin(), entry.end());
    const bool last = process.entries_written + 1 == entries_.size();
    if (batch.size() < kDictionaryBytes && !last) continue;
    process.section->add(make_block(
        [&](std::span<std::byte> out) { return trace::write_dictionary_block(batch, out); }));
    batch.clear();
  }
}

void TraceBuilder::write_stream(Stream& stream, std::uint64_t stream_id) {
  Process& process = processes_[stream.process];
  if (process.section == nullptr) return;
  write_dictionary(process);
  if (!stream.announced) announce(stream, stream_id);
  stream.announced = true;
  if (stream.goes_back) put_in_order_of_time(stream.ring, sites_);
  std::span<const std::byte> input = stream.ring.bytes();
  std::size_t part_bytes = kExtentBytes;
  while (!input.empty()) {
    const auto part = input.first(std::min(part_bytes, input.size()));
    if (block_.size() < 2 * part.size() + 4096) block_.resize(2 * part.size() + 4096);
    const trace::EncodeResult result =
        encoder_.encode(part, stream.cursor, settled_, stream.last_tsc, block_);
    assert(result.stop != trace::EncodeStop::kCorrupt);
    if (result.output_bytes != 0) {
      process.section->add(std::span(block_).first(result.output_bytes));
    }
    input = input.subspan(result.consumed_bytes);
    if (result.consumed_bytes != 0 || result.output_bytes != 0) continue;
    // The part ends within its first record.
    assert(part.size() < input.size());
    part_bytes *= 2;
  }
  process.moved.push_back(static_cast<std::uint32_t>(stream_id - 1));
}

std::uint64_t TraceBuilder::write_streams() {
  std::uint64_t oldest_end = UINT64_MAX;
  for (const std::uint32_t index : waiting_) {
    Stream& stream = streams_[index];
    oldest_end = std::min(oldest_end, stream.last_tsc);
    write_stream(stream, index + std::uint64_t{1});
    stream.waits = false;
    stream.ring.clear();
    if (spare_ + stream.ring.capacity() > kMostSpareBytes) stream.ring.release();
    spare_ += stream.ring.capacity();
  }
  waiting_.clear();
  written_bytes_ += pending_;
  pending_ = 0;
  return oldest_end;
}

void TraceBuilder::write_pending() {
  // An estimate for input that is mostly in order of time: later records from before it are marked,
  // and the index reports them.
  const std::uint64_t watermark = write_streams();
  if (watermark != UINT64_MAX) write_points(watermark);
}

void TraceBuilder::settle(std::uint64_t watermark_unix_ns) {
  // Points every few records would cost more than they save.
  if (pending_ < kPendingBytes / 16) return;
  write_streams();
  write_points(watermark_unix_ns);
}

void TraceBuilder::write_points(std::uint64_t watermark) {
  settled_ = std::max(settled_, watermark);
  std::vector<trace::StreamPosition> positions;
  for (Process& process : processes_) {
    if (process.section == nullptr || process.moved.empty()) continue;
    positions.clear();
    for (const std::uint32_t index : process.moved) {
      const trace::StreamCursor& cursor = streams_[index].cursor;
      positions.push_back({cursor.stream_id, cursor.next_sequence});
    }
    process.moved.clear();
    process.section->add(make_block([&](std::span<std::byte> out) {
      return trace::write_sequence_point_block(settled_, positions, out);
    }));
  }
}

std::vector<std::string> TraceBuilder::finish(std::string* error) {
  write_pending();
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    // Threads without records too: their names are known.
    if (!streams_[i].announced && processes_[streams_[i].process].section != nullptr) {
      announce(streams_[i], i + std::uint64_t{1});
    }
  }
  std::vector<std::string> paths;
  for (Process& process : processes_) {
    if (process.section == nullptr) break;
    write_dictionary(process);
    process.section->end(trace::EndReason::kServiceEnded);
    if (process.is_renamed) process.file->overwrite(0, make_header(process));
    paths.push_back(process.file->readable_path(&failure_));
  }
  if (failure_.empty()) return paths;
  *error = failure_;
  return {};
}

}  // namespace ringside::tool
