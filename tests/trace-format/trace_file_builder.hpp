// Builds trace files in memory and in a temporary directory.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdlib.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoded_record.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::trace::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ringside-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_; }
  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    std::string file = path_ + "/" + name;
    // Some file systems write a truncated file to the disk at once, but delay a new one.
    std::filesystem::remove(file);
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    return file;
  }

 private:
  std::string path_;
};

// Appends blocks to `bytes`. One tick is one ns since 1970 unless a clock block says otherwise.
class TraceFileBuilder {
 public:
  Bytes bytes;
  std::uint64_t watermark = 0;

  TraceFileBuilder() { add_site(sites_, {.id = 1, .fields = {{.type = shm::FieldType::u32}}}); }

  void begin(std::uint8_t uuid = 1, std::string_view service = "service",
             std::uint32_t file_sequence = 0) {
    watermark = 0;
    SectionHeader header;
    header.uuid[0] = uuid;
    header.file_sequence = file_sequence;
    header.pid = 100U + uuid;
    header.tick_hz = 1'000'000'000;
    header.service = service;
    put([&](auto out) { return write_header_block(header, out); });
    clock({0, 0, std::uint64_t{1} << 40, 0, 0});
    const Bytes entry =
        site_entry({.id = 1, .fields = {{.type = shm::FieldType::u32, .name = "value"}}});
    put([&](auto out) { return write_dictionary_block(entry, out); });
  }
  void clock(const ClockPoint& point) {
    put([&](auto out) { return write_clock_block(point, out); });
  }
  void stream(std::uint64_t id, std::string_view name) {
    put([&](auto out) {
      return write_stream_block({id, 0, static_cast<std::uint32_t>(1000 + id), 0, name}, out);
    });
  }
  // Contains the positions of all streams so far.
  void sequence_point(std::uint64_t tsc) {
    watermark = tsc;
    std::vector<StreamPosition> positions;
    for (const auto& [id, cursor] : cursors_) positions.push_back({id, cursor.next_sequence});
    put([&](auto out) { return write_sequence_point_block(tsc, positions, out); });
  }
  void end() {
    put([&](auto out) { return write_end_block({}, out); });
  }
  // Records of site 1 with these times; the argument is the record's number in its stream.
  void extent(std::uint64_t stream_id, std::initializer_list<std::uint64_t> times,
              std::string_view in_front = {}) {
    extent(stream_id, std::vector<std::uint64_t>(times), in_front);
  }
  void extent(std::uint64_t stream_id, const std::vector<std::uint64_t>& times,
              std::string_view in_front = {}) {
    StreamCursor& cursor = cursors_[stream_id];
    cursor.stream_id = stream_id;
    std::string ring(in_front);
    // The sequence number after the drop records, which the encoder will count.
    std::uint64_t number = cursor.next_sequence;
    if (!in_front.empty()) number += load_count(in_front);
    for (const std::uint64_t t : times) {
      ring += plain_record(1, t, raw(static_cast<std::uint32_t>(number++)));
    }
    if (!times.empty()) cursor.last_tsc = times.front();
    put([&](auto out) {
      const EncodeResult r = encoder_.encode(as_bytes(ring), cursor, watermark, 0, out);
      EXPECT_EQ(r.stop, EncodeStop::kInputEnd);
      return r.output_bytes;
    });
  }
  // Any other block.
  void block(std::uint8_t type, std::string_view payload, std::uint16_t flags = 0) {
    put([&](std::span<std::byte> out) {
      std::memcpy(out.data() + kBlockHeaderBytes, payload.data(), payload.size());
      write_block_frame(out.data(), static_cast<BlockType>(type), payload.size(), flags);
      return kBlockHeaderBytes + payload.size();
    });
  }
  void lose(std::uint64_t stream_id, std::uint64_t count) {
    cursors_[stream_id].next_sequence += count;
  }

 private:
  static std::uint64_t load_count(std::string_view drop) {
    std::uint64_t count = 0;
    std::memcpy(&count, drop.data() + 8, 8);
    return count;
  }
  template <class Write>
  void put(Write&& write) {
    buffer_.resize(1 << 20);
    const std::size_t written = write(std::span<std::byte>(buffer_));
    bytes.insert(bytes.end(), buffer_.begin(),
                 buffer_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  SiteTable sites_;
  ExtentEncoder encoder_{sites_};
  std::map<std::uint64_t, StreamCursor> cursors_;
  Bytes buffer_;
};

// An event that owns its data.
struct ReadEvent {
  EventKind kind = EventKind::kRecord;
  std::uint64_t unix_ns = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t sequence = 0;
  std::uint64_t number = 0;  // a record's argument, or the number of lost records
  std::uint32_t pid = 0;
  LossCause cause = LossCause::kUnknown;

  bool operator==(const ReadEvent&) const = default;
};

struct ReadResult {
  std::vector<ReadEvent> events;
  ReadReport report;
  ReadError error;
  bool opened = false;

  std::vector<std::uint64_t> times() const {
    std::vector<std::uint64_t> times;
    for (const ReadEvent& e : events) times.push_back(e.unix_ns);
    return times;
  }
};

inline ReadEvent copy_of(const Event& event) {
  const bool record = event.kind == EventKind::kRecord;
  EXPECT_EQ(event.stream->id, event.record.stream_id);
  return {event.kind,
          event.unix_ns,
          event.record.stream_id,
          event.record.sequence,
          record ? (event.record.args.empty() ? 0 : event.record.args[0].u64) : event.lost,
          event.segment->pid,
          event.cause};
}

inline ReadResult read_events(std::optional<TraceSet> set, const ReadError& error) {
  ReadResult result;
  result.error = error;
  result.opened = set.has_value();
  if (!set) return result;
  Event event;
  while (set->next(event)) result.events.push_back(copy_of(event));
  EXPECT_FALSE(set->next(event)) << "stays at its end";
  result.report = set->report();
  return result;
}

inline ReadResult read_all(const std::vector<std::string>& paths, ReadOptions options = {}) {
  ReadError error;
  auto set = TraceSet::open(paths, std::move(options), &error);
  return read_events(std::move(set), error);
}

inline ReadResult read_bytes(std::span<const std::byte> bytes) {
  const TemporaryDirectory directory;
  return read_all({directory.write("a.ringtrace", bytes)});
}

}  // namespace ringside::trace::testing
