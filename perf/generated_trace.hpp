// Trace files for benchmarks of the read side: the output of consumerd for threads that log without
// a pause, by default 64 KiB of ring bytes per extent, and a sequence point after each round of the
// rings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::perf {

// The content of each statement: random arguments with the magnitudes of NanoLog's messages.
enum class Statement : std::uint32_t { kStatic = 1, kInteger = 2, kFiveArguments = 3, kString = 4 };

class GeneratedTrace {
 public:
  struct Plan {
    Statement statement = Statement::kStatic;
    unsigned streams = 1;
    std::size_t records = 0;  // minimum, of all streams together
    // About one record in this number is Statement::kInteger instead; 0: none.
    unsigned integer_every = 0;
    std::size_t extent_bytes = 64 << 10;  // of the ring, in one extent
  };

  explicit GeneratedTrace(const Plan& plan) : plan_(plan) {
    std::string name = (std::filesystem::temp_directory_path() / "ringside-perf-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
    write();
  }
  ~GeneratedTrace() { std::filesystem::remove_all(directory_); }
  GeneratedTrace(const GeneratedTrace&) = delete;
  GeneratedTrace& operator=(const GeneratedTrace&) = delete;

  std::string path() const { return directory_ + "/generated.ringtrace"; }
  std::size_t records() const { return records_; }
  std::size_t bytes() const { return bytes_; }

 private:
  using Bytes = std::vector<std::byte>;
  struct Thread {
    trace::StreamCursor cursor;
    std::uint64_t now = 0;
  };

  template <class T>
  static void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  static Bytes entry(Statement statement) {
    using shm::FieldType;
    shm::SiteDescription site;
    site.site_id = static_cast<std::uint32_t>(statement);
    site.line = 1031;
    site.level = shm::Level::kNotice;
    site.format_style = 1;
    site.file = "src/TableManager.cc";
    site.function = "run";
    std::vector<FieldType> types;
    switch (statement) {
      case Statement::kStatic:
        site.format = "Starting backup replica garbage collector thread";
        break;
      case Statement::kInteger:
        site.format = "Backup storage speeds (min): %d MB/s read";
        types = {FieldType::i32};
        break;
      case Statement::kFiveArguments:
        site.format =
            "buffer has consumed %lu bytes of extra storage, current allocation: %u bytes in %u "
            "chunks, %u free, took %.1f ms";
        types = {FieldType::u64, FieldType::u32, FieldType::u32, FieldType::u32, FieldType::f64};
        break;
      case Statement::kString:
        site.format = "Opened session with coordinator at %s";
        types = {FieldType::string};
        break;
    }
    std::vector<shm::FieldDescription> fields(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) fields[i].type = types[i];
    Bytes bytes(shm::site_entry_bytes(site, fields));
    shm::write_site_entry(site, fields, bytes.data());
    return bytes;
  }

  void put_record(std::string& ring, std::uint64_t tsc, Statement statement) {
    put(ring, shm::make_head(tsc, static_cast<std::uint32_t>(statement)));
    switch (statement) {
      case Statement::kStatic:
        break;
      case Statement::kInteger:
        put(ring, static_cast<std::int32_t>(128 + any_() % 128));
        break;
      case Statement::kFiveArguments:
        put(ring, std::uint64_t{32768 + any_() % 32768});
        put(ring, static_cast<std::uint32_t>(64 + any_() % 64));
        put(ring, static_cast<std::uint32_t>(32 + any_() % 32));
        put(ring, static_cast<std::uint32_t>(32 + any_() % 32));
        put(ring, 26.2 * (1 + static_cast<double>(any_() >> 11) * 0x1p-53));
        break;
      case Statement::kString: {
        constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
        put(ring, std::uint32_t{39});
        for (int i = 0; i < 39; ++i) ring += kLetters[any_() % kLetters.size()];
        break;
      }
    }
  }

  template <class Write>
  void append(std::ofstream& file, Write&& block) {
    const std::size_t size = block(std::span<std::byte>(buffer_));
    file.write(reinterpret_cast<const char*>(buffer_.data()), static_cast<std::streamsize>(size));
    bytes_ += size;
  }

  void append_extent(std::ofstream& file, Thread& thread, trace::ExtentEncoder& encoder) {
    std::string ring;
    while (ring.size() < plan_.extent_bytes) {
      thread.now += plan_.streams * (20 + any_() % 31);
      const bool other = plan_.integer_every != 0 && any_() % plan_.integer_every == 0;
      put_record(ring, thread.now, other ? Statement::kInteger : plan_.statement);
      ++records_;
    }
    append(file, [&](auto out) {
      const auto input = std::as_bytes(std::span(ring.data(), ring.size()));
      return encoder.encode(input, thread.cursor, 0, 0, out).output_bytes;
    });
  }

  void write() {
    constexpr std::uint64_t kStart = 1'700'000'000'000'000'000;
    std::ofstream file(path(), std::ios::binary);
    trace::SiteTable sites;
    Bytes dictionary;
    for (const auto s :
         {Statement::kStatic, Statement::kInteger, Statement::kFiveArguments, Statement::kString}) {
      const Bytes bytes = entry(s);
      dictionary.insert(dictionary.end(), bytes.begin(), bytes.end());
    }
    sites.add(dictionary, nullptr);
    trace::ExtentEncoder encoder(sites);
    buffer_.resize(1 << 20);
    trace::SectionHeader header;
    header.tick_hz = 2'300'000'000;
    header.service = "service";
    append(file, [&](auto out) { return trace::write_header_block(header, out); });
    const trace::ClockPoint clock{0, kStart, trace::ns_per_tick_of(header.tick_hz), 0, kStart};
    append(file, [&](auto out) { return trace::write_clock_block(clock, out); });
    append(file, [&](auto out) { return trace::write_dictionary_block(dictionary, out); });
    std::vector<Thread> threads(plan_.streams);
    for (std::uint32_t i = 0; i < plan_.streams; ++i) {
      threads[i].cursor.stream_id = i + 1;
      threads[i].cursor.last_tsc = threads[i].now = 1 << 20;
      append(file, [&](auto out) {
        return trace::write_stream_block({i + 1, 0, 4711 + i, i, "worker"}, out);
      });
    }
    while (records_ < plan_.records) {
      std::uint64_t watermark = UINT64_MAX;
      std::vector<trace::StreamPosition> positions;
      for (Thread& thread : threads) {
        append_extent(file, thread, encoder);
        watermark = std::min(watermark, thread.now);
        positions.push_back({thread.cursor.stream_id, thread.cursor.next_sequence});
      }
      append(file, [&](auto out) {
        return trace::write_sequence_point_block(watermark, positions, out);
      });
    }
    append(file, [&](auto out) {
      return trace::write_end_block({records_, 0, trace::EndReason::kServiceEnded}, out);
    });
    if (!file.flush()) throw std::runtime_error("cannot write " + path());
  }

  Plan plan_;
  std::string directory_;
  Bytes buffer_;
  std::mt19937_64 any_{7};
  std::size_t records_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ringside::perf
