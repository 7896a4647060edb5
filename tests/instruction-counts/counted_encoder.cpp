// The extent encoder's work, to be counted. Under callgrind: one dump per kind of record, named
// after it. With --steps: prints "NAME INSTRUCTIONS-PER-RECORD" per kind, counted by single steps,
// if this processor has kernels that valgrind cannot run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <valgrind/callgrind.h>

#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/record_head.hpp"
#include "tests/instruction-counts/stepped_run.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/record_run.hpp"

namespace {

using namespace ringside;
using shm::FieldType;

constexpr std::uint32_t kRecords = 1000;
constexpr std::uint32_t kSteppedRecords = 300;  // a step takes microseconds
constexpr std::uint64_t kStartTsc = 1U << 20;

// Unordered numbers that are the same in every run and with every library.
class Sequence {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 20;
  }

 private:
  std::uint64_t state_ = 7;
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_value(std::string& out, FieldType type, std::uint64_t number) {
  switch (type) {
    case FieldType::u32:
      return put(out, static_cast<std::uint32_t>(number >> (number % 24)));
    case FieldType::f64:
      return put(out, 1 + static_cast<double>(number) * 0x1p-44);
    default:
      const std::string text = "basic+udp:host=192.168.1." + std::to_string(100 + number % 900);
      put(out, static_cast<std::uint32_t>(text.size()));
      out += text;
  }
}

bool g_by_steps = false;

// Counts kRecords of one site. `changing`: each record's values differ from the previous ones.
void count(const char* name, const std::vector<FieldType>& types, bool changing) {
  shm::SiteDescription site;
  site.site_id = 5;
  site.format = "message";
  std::vector<shm::FieldDescription> fields(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) fields[i].type = types[i];
  std::vector<std::byte> entry(shm::site_entry_bytes(site, fields));
  shm::write_site_entry(site, fields, entry.data());
  trace::SiteTable sites;
  sites.add(entry, nullptr);

  Sequence sequence;
  std::string ring;
  std::uint64_t tsc = kStartTsc;
  const std::uint32_t records = g_by_steps ? kSteppedRecords : kRecords;
  for (std::uint32_t i = 0; i < records; ++i) {
    tsc += 20 + i % 31;
    put(ring, shm::make_head(tsc, site.site_id));
    for (const FieldType type : types) put_value(ring, type, changing ? sequence.next() : 4711);
  }
  const auto input = std::as_bytes(std::span(ring.data(), ring.size()));
  std::vector<std::byte> out(2 * input.size() + 4096);
  trace::ExtentEncoder encoder(sites);
  const auto encode = [&] {
    trace::StreamCursor cursor;
    cursor.last_tsc = kStartTsc;
    return encoder.encode(input, cursor, 0, 0, out);
  };
  encode();  // allocates its memory
  if (g_by_steps) {
    const std::int64_t steps = test::count_by_steps([&] {
      test::step_mark();
      encode();
      test::step_mark();
    });
    std::printf("%s_wide %.2f\n", name, static_cast<double>(steps) / records);
    std::fflush(stdout);
    return;
  }
  CALLGRIND_ZERO_STATS;
  const trace::EncodeResult result = encode();
  CALLGRIND_DUMP_STATS_AT(name);
  if (result.records != kRecords) {
    std::fprintf(stderr, "%s: %u records\n", name, static_cast<unsigned>(result.records));
  }
}

}  // namespace

int main(int argc, char** argv) {
  g_by_steps = argc > 1 && std::strcmp(argv[1], "--steps") == 0;
  if (g_by_steps && trace::run_kernels() == nullptr) return 0;
  constexpr FieldType u32 = FieldType::u32;
  constexpr FieldType f64 = FieldType::f64;
  count("encode_static", {}, false);
  count("encode_two_integers_same", {u32, u32}, false);
  count("encode_two_integers", {u32, u32}, true);
  count("encode_double", {f64}, true);
  count("encode_five_arguments", {u32, u32, u32, u32, f64}, true);
  count("encode_string", {FieldType::string}, true);
  return 0;
}
