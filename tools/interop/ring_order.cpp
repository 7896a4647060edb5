#include "tools/interop/ring_order.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "tools/files/ring_record.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/ring_record_view.hpp"

namespace ringside::tool {
namespace {

struct RecordPlace {
  std::uint64_t tsc = 0;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t processor = 0;  // its code

  bool operator<(const RecordPlace& other) const {
    return tsc != other.tsc ? tsc < other.tsc : offset < other.offset;
  }
};

// The places of all records except clock records, which are created again.
std::vector<RecordPlace> record_places(std::span<const std::byte> ring,
                                       const trace::SiteTable& sites) {
  std::vector<RecordPlace> places;
  std::uint64_t reference = 0;
  std::uint32_t processor = 0;
  for (std::size_t at = 0; at < ring.size();) {
    const trace::RingRecordView record = trace::view_ring_record(sites, ring.subspan(at));
    assert(record.state == trace::RingRecordView::State::kWhole);
    if (shm::head_id(record.head) == shm::kCodeClock) {
      reference = trace::load<std::uint64_t>(record.bytes.data() + shm::kHeadBytes);
      processor = shm::clock_processor(record.head, reference);
    } else {
      reference = shm::widen_tsc(shm::head_tsc(record.head), reference);
      places.push_back({reference, static_cast<std::uint32_t>(at),
                        static_cast<std::uint32_t>(record.bytes.size()), processor});
    }
    at += record.bytes.size();
  }
  return places;
}

}  // namespace

void put_in_order_of_time(RecordBytes& ring, const trace::SiteTable& sites) {
  assert(ring.size() <= UINT32_MAX);
  std::vector<RecordPlace> places = record_places(ring.bytes(), sites);
  if (std::is_sorted(places.begin(), places.end())) return;
  std::sort(places.begin(), places.end());
  RecordBytes ordered;
  std::string clock;
  std::uint64_t reference = 0;
  std::uint32_t processor = 0;
  for (const RecordPlace& place : places) {
    const std::byte* const record = ring.at(place.offset);
    const bool is_loss = shm::head_id(trace::load<std::uint64_t>(record)) == shm::kCodeDrop;
    const bool is_far = place.tsc - reference >= shm::kClockIntervalTicks;
    const bool has_moved = place.processor != processor;
    if (is_loss || is_far || has_moved || ordered.size() == 0) {
      clock.clear();
      append_clock_record(place.tsc, place.processor, clock);
      ordered.append(clock.data(), clock.size());
    }
    ordered.append(record, place.bytes);
    reference = place.tsc;
    processor = place.processor;
  }
  ring = std::move(ordered);
}

}  // namespace ringside::tool
