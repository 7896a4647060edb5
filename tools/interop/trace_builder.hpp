#pragma once
// Makes Ringside trace files of what the reader of another format finds, so that everything that
// reads trace files reads that format too.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"
#include "tools/files/output_file.hpp"
#include "tools/files/section_writer.hpp"
#include "tools/interop/conversion_report.hpp"
#include "tools/interop/record_bytes.hpp"
#include "tools/interop/record_cut.hpp"
#include "tools/interop/site_definition.hpp"
#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

struct ProcessDefinition {
  std::uint32_t pid = 0;
  std::uint32_t uid = 0;
  std::uint64_t start_unix_ns = 0;
  std::string service;  // matched by `ringcat --service`; most readers: the format's name
  std::string executable;
  std::string host;
  bool is_named_later = false;  // service and host can come later by name_process() and name_host()
};

struct StreamDefinition {
  std::uint32_t thread_id = 0;
  std::string thread_name;
};

// One section for each process, in an unnamed file; a tick is a nanosecond of Unix time.
// Memory is bounded: pending records are written every 16 MiB. Not thread-safe. finish() reports
// failed writes.
//
//   builder.begin(stream, site, unix_ns);   a record
//   builder.put(std::uint32_t{7});          its values, in the order of the site's fields, without
//   builder.put_text("seven");              constant fields, in exactly their types
//   builder.end();
class TraceBuilder {
 public:
  // The most threads and processes. The reader of a file must check them, and either reject the
  // excess or collect it in process_of_others() and in the last thread.
  static constexpr std::size_t kMostProcesses = 200;
  static constexpr std::size_t kMostStreams = 100'000;
  static constexpr std::size_t kMostSites = shm::kMaxSiteId;
  // end() cuts texts and arrays of records larger than shm::kMaxRecordBytes, marks the records and
  // reports them; numbers remain. A caller that collects the values of a record can leave out what
  // exceeds this size, and gets the same result.
  static constexpr std::size_t kMostGatheredBytes = 2 * std::size_t{shm::kMaxRecordBytes};

  explicit TraceBuilder(ConversionReport& report);
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  std::uint32_t add_process(const ProcessDefinition& process);
  // One more process, for everything that belongs to processes beyond kMostProcesses. It has its
  // own name, never that of another process.
  std::uint32_t process_of_others();
  // Applies to all records, also earlier ones. Only for processes with is_named_later; names beyond
  // 1000 bytes are cut.
  void name_process(std::uint32_t process, std::string_view service);
  void name_host(std::uint32_t process, std::string_view host);
  std::uint32_t add_stream(std::uint32_t process, const StreamDefinition& stream);
  // Applies to all records, also earlier ones.
  void name_thread(std::uint32_t stream, std::string_view name);
  // A site for any process. Names and texts beyond the dictionary's limits
  // (shm-layout/dictionary_entry.hpp) are cut and reported. Returns the site's id, from 1.
  std::uint32_t add_site(const SiteDefinition& site);
  std::size_t sites() const { return definitions_; }
  bool has_room_for_process() const;
  bool has_room_for_stream() const { return streams_.size() < kMostStreams; }

  // Times of a stream need not rise: records are put in order before they are written, and then
  // numbered.
  void begin(std::uint32_t stream, std::uint32_t site, std::uint64_t unix_ns) {
    open(stream, unix_ns);
    put_head(unix_ns, site);
  }
  // The ext_flags of `extension` name its valid members; durations are in nanoseconds. Without an
  // extension a record ran where its stream's previous one did. Each change costs about 80 bytes.
  void begin(std::uint32_t stream, std::uint32_t site, std::uint64_t unix_ns,
             const trace::RecordExtension& extension);

  // Integers, floats and doubles. Booleans, characters: std::uint8_t; pointers: std::uint64_t;
  // enumerations: std::int64_t.
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void put(Number number) {
    static_assert(!std::same_as<Number, bool> && sizeof number <= 16);
    append(&number, sizeof number);
  }
  void put_text(std::string_view text) {  // strings and bytes
    const std::size_t bytes = std::min(text.size(), room());
    put(static_cast<std::uint32_t>(bytes));
    append(text.data(), bytes);
  }
  // `elements` as trace::Value describes them, `count` of them; `element_bytes` is the size of
  // each, 0 for texts.
  void put_array(std::string_view elements, std::uint32_t count, std::size_t element_bytes) {
    if (elements.size() > room()) {
      std::size_t bytes = 0;
      if (element_bytes == 0) {
        count = texts_that_fit(elements, count, room(), &bytes);
      } else {
        count = static_cast<std::uint32_t>(room() / element_bytes);
        bytes = count * element_bytes;
      }
      elements = elements.substr(0, bytes);
    }
    put(count);
    append(elements.data(), elements.size());
  }
  // A value of a record from a reader of trace files.
  void put_value(const trace::Value& value) {
    const std::size_t bytes = kNumberBytes[shm::code(value.type)];
    if (bytes == 0) return put_large_value(value);
    std::uint64_t number = 0;
    std::memcpy(&number, &value.u64, sizeof number);  // a float is its first four bytes
    open_->ring.append_number(number, bytes);
  }
  // All or some values of a record, in a ring's encoding.
  void put_values(std::string_view ring_bytes) { append(ring_bytes.data(), ring_bytes.size()); }

  void end() {
    if (open_->ring.size() - record_at_ > shm::kMaxRecordBytes) [[unlikely]]
      cut_record();
    if (extended_) [[unlikely]]
      close_extended();
    pending_ += open_->ring.size() - record_at_;
    if (pending_ >= kPendingBytes) [[unlikely]]
      write_pending();
  }

  // Instead of end(), for a record without an extension: takes it back and returns its values in a
  // ring's encoding, for put_values() of a later record.
  std::string withdraw() {
    RecordBytes& ring = open_->ring;
    const std::size_t values_at = record_at_ + sizeof(std::uint64_t);
    const auto* const values = reinterpret_cast<const char*>(ring.at(values_at));
    std::string taken(values, ring.size() - values_at);
    ring.shorten(record_at_);
    --records_;
    return taken;
  }

  // `count` records of the stream were lost between its previous record and `unix_ns`. A stream has
  // at most 2^62 in all, because its sequence numbers count them; the excess is left out.
  void lost(std::uint32_t stream, std::uint64_t unix_ns, std::uint64_t count,
            shm::LossCause cause = shm::LossCause::kUnknown);

  // What the process's records were collected with; its times are nanoseconds of Unix time, and its
  // sites those of this builder. At most 16 MiB of these for a process; returns whether it had
  // room.
  bool collected(std::uint32_t process, const trace::CollectionState& state,
                 std::span<const trace::RuleEffect> effects);

  // No further record will be before `watermark_unix_ns`, so readers need less memory.
  void settle(std::uint64_t watermark_unix_ns);

  // Makes the records so far readable in files that grow, for a TraceFollower. `everything`: also
  // those that a record of another thread may still precede. Returns the files' paths, as finish()
  // does; empty with `*error` on failure.
  std::vector<std::string> publish(bool everything, std::string* error);
  // Whether publish() would make more records readable.
  bool has_news() const { return pending_ != 0 || written_bytes_ != published_bytes_ || held_; }
  // After publish(true), if all of it has been read: gives its space on the disk back. finish()
  // then returns files that contain only what came later.
  void release_published();
  // What publish() has made readable, and release_published() has not given back.
  std::uint64_t published_bytes() const;

  // Completes the files and returns paths, one for each process, that can be opened while the
  // builder lives. Empty with `*error` on failure. Nothing may be added afterwards.
  std::vector<std::string> finish(std::string* error);

  std::uint64_t records() const { return records_; }

 private:
  static constexpr std::size_t kPendingBytes = std::size_t{16} << 20;

  // Indexed by the code of a type; 0 for types that are not numbers or have more than 8 bytes.
  static constexpr std::array<std::uint8_t, 256> kNumberBytes = [] {
    std::array<std::uint8_t, 256> bytes{};
    for (unsigned code = 0; code < bytes.size(); ++code) {
      const std::size_t fixed = shm::fixed_size(static_cast<shm::FieldType>(code));
      if (fixed <= sizeof(std::uint64_t)) bytes[code] = static_cast<std::uint8_t>(fixed);
    }
    return bytes;
  }();

  struct Process;
  struct Stream {
    std::uint32_t process = 0;
    StreamDefinition definition;
    trace::StreamCursor cursor;
    RecordBytes ring;  // records in a ring's encoding, not yet written
    std::uint64_t last_tsc = 0;
    std::uint64_t told_sequence = 0;  // in a sequence point
    std::uint64_t lost = 0;           // records, counted by lost()
    std::uint32_t processor = 0;      // code of the next record's
    bool announced = false;           // by a STREAM block that holds its name
    bool waits = false;               // is in waiting_
    bool goes_back = false;           // pending records are not in the order of time
  };

  void open(std::uint32_t stream, std::uint64_t unix_ns) {
    if (open_ == nullptr || open_stream_ != stream) {
      open_ = &streams_[stream];  // stays in place: a deque
      open_stream_ = stream;
    }
    Stream& s = *open_;
    ++records_;
    const std::uint64_t distance =
        unix_ns > s.last_tsc ? unix_ns - s.last_tsc : s.last_tsc - unix_ns;
    if (!s.waits || distance >= shm::kClockIntervalTicks) [[unlikely]]
      open_far(stream, unix_ns);
    s.goes_back |= unix_ns < s.last_tsc;
    s.last_tsc = unix_ns;
    record_at_ = s.ring.size();
  }
  void put_large_value(const trace::Value& value);
  void open_far(std::uint32_t stream, std::uint64_t unix_ns);
  void move_to(std::uint32_t stream, std::uint32_t processor);
  void put_head(std::uint64_t unix_ns, std::uint32_t site) { put(shm::make_head(unix_ns, site)); }
  [[gnu::always_inline]] void append(const void* bytes, std::size_t count) {
    open_->ring.append(bytes, count);
  }
  std::size_t room() const {
    const std::size_t used = open_->ring.size() - record_at_;
    return used < kMostGatheredBytes ? kMostGatheredBytes - used : 0;
  }
  void cut_record();
  void close_extended();
  std::uint64_t write_streams();
  void write_pending();
  void write_stream(Stream& stream, std::uint64_t stream_id);
  void write_points(std::uint64_t watermark);
  void write_dictionary(Process& process);
  std::span<const std::byte> make_header(const Process& process);
  void announce(const Stream& stream, std::uint64_t stream_id);
  void add_entry(std::vector<std::byte> entry);
  template <class Make>
  std::span<const std::byte> make_block(Make&& make);

  ConversionReport& report_;
  trace::SiteTable sites_;
  trace::ExtentEncoder encoder_;
  std::uint32_t definitions_ = 0;
  std::uint32_t enum_tables_ = 0;
  std::vector<std::vector<std::byte>> entries_;  // of the dictionary, in order
  std::deque<Process> processes_;
  std::optional<std::uint32_t> others_;  // index into processes_
  std::deque<Stream> streams_;
  std::vector<std::uint32_t> waiting_;  // streams with pending records
  std::vector<std::byte> block_;
  Stream* open_ = nullptr;
  std::uint32_t open_stream_ = 0;
  std::size_t record_at_ = 0;
  bool extended_ = false;
  std::size_t pending_ = 0;    // bytes
  std::size_t spare_ = 0;      // memory of streams without pending records, in bytes
  std::uint64_t settled_ = 0;  // the last watermark
  std::uint64_t records_ = 0;
  std::string failure_;
  std::uint64_t written_bytes_ = 0;    // of records
  std::uint64_t published_bytes_ = 0;  // of written_bytes_
  std::uint64_t newest_ns_ = 0;        // of the published records
  bool held_ = false;                  // published, but later than the last watermark
};

}  // namespace ringside::tool
