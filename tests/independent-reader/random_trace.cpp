// Writes a trace file of random records with the project's own writers: all types of fields, arrays
// and constants, extensions, drops, times that go back, a clock that is corrected.
//
// usage: random_trace SEED FILE [RECORDS]
//
//     RECORDS  per stream, default 200

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "shm-layout/loss_cause.hpp"
#include "tests/trace-format/random_records.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace {

using namespace ringside;
using namespace ringside::trace::testing;

constexpr std::uint64_t kStartTicks = std::uint64_t{3} << 43;

class RandomTrace {
 public:
  RandomTrace(std::uint64_t seed, std::uint64_t records) : random_(seed), records_(records) {}

  const Bytes& make() {
    header();
    clock(kStartTicks);
    for (std::uint32_t i = 0; i < 25; ++i) site(i);
    for (std::uint64_t stream = 1; stream <= 3; ++stream) {
      put([&](auto out) {
        return trace::write_stream_block(
            {stream, kStartTicks, 70 + static_cast<std::uint32_t>(stream), 0, "random"}, out);
      });
      records(stream);
      clock(kStartTicks + stream * 1'000'000);
    }
    put([&](auto out) { return trace::write_end_block({}, out); });
    return bytes_;
  }

 private:
  template <class Write>
  void put(Write&& write) {
    Bytes out(4 << 20);
    out.resize(write(std::span<std::byte>(out)));
    append(bytes_, out);
  }

  void header() {
    trace::SectionHeader header;
    header.uuid[0] = 1;
    header.pid = 42;
    header.service = "random";
    put([&](auto out) { return trace::write_header_block(header, out); });
  }

  void clock(std::uint64_t tsc0) {
    const std::uint64_t unix_ns0 =
        clock_.ns_per_tick == 0 ? 1'700'000'000'000'000'000 : clock_.unix_ns(tsc0);
    clock_ = {tsc0, unix_ns0, (std::uint64_t{1} << 39) + random_.below(1'000'000), 0, 0};
    put([&](auto out) { return trace::write_clock_block(clock_, out); });
  }

  void site(std::uint32_t index) {
    TestSite site = random_.site(1 + 7 * index);
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      site.fields[i].name = "f" + std::to_string(i);
    }
    // Half of the contexts are those of tasks.
    if (site.kind == shm::SiteKind::kContext && !site.fields.empty() && random_.below(2) == 0) {
      const std::vector<TestField> others = std::move(site.fields);
      site.fields = {{.type = shm::FieldType::string, .name = "task"},
                     {.type = shm::FieldType::u64, .name = "task.id"},
                     {.type = shm::FieldType::u64, .name = "task.step"}};
      site.fields.insert(site.fields.end(), others.begin(), others.end());
    }
    Bytes entry = site_entry(site);
    entry[26] = std::byte{0};  // no format style: the fields follow the text
    std::string why;
    if (!table_.add(entry, &why)) std::abort();
    put([&](auto out) { return trace::write_dictionary_block(entry, out); });
    sites_.push_back(site);
  }

  void records(std::uint64_t stream) {
    std::string ring = clock_record(kStartTicks);
    std::vector<Decoded> expected;
    std::uint64_t ticks = kStartTicks;
    random_.enter_stream(stream);
    for (std::uint64_t i = 0; i < records_; ++i) {
      ticks += random_.below(1 + random_.below(30'000));
      if (random_.below(40) == 0) ticks -= std::min(random_.below(3000), ticks - kStartTicks);
      if (random_.below(20) == 0) {
        ring += clock_record(ticks, 0, static_cast<std::uint32_t>(random_.below(6)));
      }
      if (random_.below(50) == 0) {
        ring +=
            drop_record(ticks, 1 + random_.below(9), static_cast<shm::LossCause>(random_.below(4)));
      }
      random_.record(sites_[random_.below(random_.below(2) == 0 ? 2 : sites_.size())], ticks, ring,
                     expected);
    }
    trace::StreamCursor cursor{.stream_id = stream, .last_tsc = kStartTicks};
    std::size_t taken = 0;
    while (taken < ring.size()) {
      put([&](auto out) {
        const auto done = encoder_.encode(as_bytes(ring).subspan(taken), cursor, 0, 0, out);
        if (done.stop == trace::EncodeStop::kCorrupt || done.consumed_bytes == 0) std::abort();
        taken += done.consumed_bytes;
        return done.output_bytes;
      });
    }
  }

  RandomRecords random_;
  std::uint64_t records_;
  trace::SiteTable table_;
  trace::ExtentEncoder encoder_{table_};
  std::vector<TestSite> sites_;
  trace::ClockPoint clock_;
  Bytes bytes_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: random_trace SEED FILE [RECORDS]\n");
    return 2;
  }
  RandomTrace trace(std::strtoull(argv[1], nullptr, 10),
                    argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 200);
  const Bytes& bytes = trace.make();
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return file.good() ? 0 : 1;
}
