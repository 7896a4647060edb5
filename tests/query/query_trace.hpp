// Trace files whose sites have names, categories, files and fields, for tests of queries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::trace::testing {

struct QuerySite {
  std::uint32_t id = 1;
  std::string format;
  std::vector<TestField> fields = {};
  std::string name = {};
  std::string category = {};
  std::string file = "src/file.cpp";
  std::uint32_t line = 1;
  shm::Level level = shm::Level::kInfo;

  Bytes entry() const {
    shm::SiteDescription d;
    d.site_id = id;
    d.line = line;
    d.level = level;
    d.format_style = 1;
    d.name = name;
    d.category = category;
    d.format = format;
    d.file = file;
    std::vector<shm::FieldDescription> list;
    for (const TestField& f : fields) {
      shm::FieldDescription field;
      field.type = shm::element_type(f.type);
      field.array = shm::is_array(f.type) ? 1 : 0;
      field.flags = f.constant ? shm::kFieldConstant : std::uint8_t{0};
      field.enum_table_id = f.enum_table_id;
      field.name = f.name;
      field.constant = f.value;
      list.push_back(field);
    }
    Bytes entry(shm::site_entry_bytes(d, list));
    shm::write_site_entry(d, list, entry.data());
    return entry;
  }
};

// One section. One tick is one ns since 1970.
class QueryTrace {
 public:
  explicit QueryTrace(const std::vector<QuerySite>& sites, std::string_view service = "service",
                      std::uint8_t uuid = 1, const Bytes& enums = {}) {
    Bytes entries = enums;
    for (const QuerySite& site : sites) append(entries, site.entry());
    std::string why;
    EXPECT_TRUE(sites_.add(entries, &why)) << why;
    file_.begin(uuid, service);
    put([&](auto out) { return write_dictionary_block(entries, out); }, entries.size() + 4096);
  }

  // The clock from here on.
  void clock(const ClockPoint& point) { file_.clock(point); }

  void thread(std::uint64_t stream_id, std::string_view name) { file_.stream(stream_id, name); }

  // A record of the stream; `args` in ring form; the times of a stream rise.
  void record(std::uint64_t stream_id, std::uint32_t site, std::uint64_t ns,
              std::string_view args = {}) {
    rings_[stream_id] += plain_record(site, ns, args);
    note(stream_id, ns);
  }
  void span(std::uint64_t stream_id, std::uint32_t site, std::uint64_t ns, std::uint64_t ticks,
            std::string_view args = {}) {
    rings_[stream_id] += extended_record(site, ns, shm::kExtDuration, raw(ticks), args);
    note(stream_id, ns);
  }

  // Writes all records so far as extents, followed by a sequence point.
  void write_out() {
    std::vector<StreamPosition> positions;
    for (const auto& [id, ring] : rings_) {
      StreamCursor& cursor = cursors_[id];
      cursor.stream_id = id;
      cursor.last_tsc = first_ns_[id];
      put(
          [this, &cursor, &records = ring](auto out) {
            const EncodeResult r = encoder_.encode(as_bytes(records), cursor, 0, 0, out);
            EXPECT_EQ(r.stop, EncodeStop::kInputEnd);
            return r.output_bytes;
          },
          2 * ring.size() + 4096);
      positions.push_back({id, cursor.next_sequence});
    }
    put([&](auto out) { return write_sequence_point_block(last_ns_ + 1, positions, out); }, 65536);
    rings_.clear();
    first_ns_.clear();
  }

  const Bytes& bytes() {
    if (!rings_.empty()) write_out();
    return file_.bytes;
  }

 private:
  void note(std::uint64_t stream_id, std::uint64_t ns) {
    first_ns_.try_emplace(stream_id, ns);
    last_ns_ = std::max(last_ns_, ns);
  }
  template <class Write>
  void put(Write&& write, std::size_t room) {
    Bytes block(room);
    block.resize(write(std::span<std::byte>(block)));
    append(file_.bytes, block);
  }

  TraceFileBuilder file_;
  SiteTable sites_;
  ExtentEncoder encoder_{sites_};
  std::map<std::uint64_t, StreamCursor> cursors_;
  std::map<std::uint64_t, std::string> rings_;
  std::map<std::uint64_t, std::uint64_t> first_ns_;
  std::uint64_t last_ns_ = 0;
};

}  // namespace ringside::trace::testing
