// A trace of a shop: statements of several levels, categories and types, two threads, a loss.
#pragma once

#include <string>
#include <vector>

#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::tool::testing {

using namespace trace::testing;

inline constexpr std::uint64_t kOrdersStartNs = 1'763'674'516'000'000'000;  // 2025-11-20 21:35:16

enum : std::uint32_t { kFilled = 10, kQueue = 11, kLost = 12, kWire = 13, kLimits = 14 };

inline std::vector<TestSite> orders_sites() {
  using shm::FieldType;
  using shm::Level;
  return {
      {.id = kFilled,
       .fields = {{.type = FieldType::i32, .name = "order.id"},
                  {.type = FieldType::f64, .name = "price"},
                  {.type = FieldType::string, .name = "side"}},
       .format = "order %d filled at %.2f side %s",
       .category = "orders",
       .file = "src/orders.cpp"},
      {.id = kQueue,
       .fields = {{.type = FieldType::u64, .name = "queue.length()"}},
       .format = "queue length %lu",
       .level = Level::kWarning,
       .category = "queues",
       .file = "src/queues.cpp"},
      {.id = kLost, .format = "connection lost", .level = Level::kError, .file = "src/net.cpp"},
      {.id = kWire,
       .fields = {{.type = FieldType::string, .name = "text.c_str()"}},
       .format = "from the wire: %s",
       .level = Level::kDebug,
       .file = "src/net.cpp"},
      {.id = kLimits,
       .fields = {{.type = FieldType::i64, .name = "low"},
                  {.type = FieldType::u64, .name = "high"}},
       .format = "limits %ld %lu",
       .level = Level::kNotice,
       .file = "src/limits.cpp"},
  };
}

// Lines, in order, a second apart: 3 orders, 2 queues, an error (main); 12 lost, 2 texts, limits
// (worker-2). `more`: the number of further errors after the first, 1 ns apart.
inline Bytes orders_trace(std::size_t more = 0) {
  TraceFileBuilder file;
  file.begin(1, "shop");
  file.clock({0, kOrdersStartNs, std::uint64_t{1} << 40, 0, 0});
  trace::SiteTable sites;
  Bytes entries;
  for (const TestSite& site : orders_sites()) {
    add_site(sites, site);
    append(entries, site_entry(site));
  }
  Bytes block(entries.size() + 4096);
  block.resize(trace::write_dictionary_block(entries, block));
  append(file.bytes, block);
  file.stream(1, "main");
  file.stream(2, "worker-2");
  const auto at = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9) + 1; };
  const auto extent = [&](std::uint64_t stream, const std::string& records) {
    trace::ExtentEncoder encoder(sites);
    trace::StreamCursor cursor;
    cursor.stream_id = stream;
    Bytes out(2 * records.size() + 4096);
    out.resize(encoder.encode(as_bytes(records), cursor, 0, 0, out).output_bytes);
    append(file.bytes, out);
  };
  std::string main = plain_record(kFilled, at(0), raw(1) + raw(100.25) + raw_text("B")) +
                     plain_record(kFilled, at(1), raw(2) + raw(99.5) + raw_text("S")) +
                     plain_record(kFilled, at(2), raw(-3) + raw(101.0) + raw_text("B")) +
                     plain_record(kQueue, at(3), raw(std::uint64_t{7})) +
                     plain_record(kQueue, at(4), raw(UINT64_MAX));
  for (std::size_t i = 0; i <= more; ++i) main += plain_record(kLost, at(5) + i);
  extent(1, main);
  file.sequence_point(at(6));
  extent(2, drop_record(at(6), 12, shm::LossCause::kRingFull) +
                plain_record(kWire, at(7), raw_text("plain, \"quoted\"")) +
                plain_record(kWire, at(8), raw_text("\x1b[31mred\n\t\xff\xc2\x9b")) +
                plain_record(kLimits, at(9), raw(INT64_MIN) + raw(UINT64_MAX)));
  file.end();
  return file.bytes;
}

}  // namespace ringside::tool::testing
