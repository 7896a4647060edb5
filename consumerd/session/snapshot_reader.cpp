#include "consumerd/session/snapshot_reader.hpp"

#include <algorithm>

namespace ringside::consumer {

void SnapshotReader::resume(const TraceFile& file) {
  file_has_records_ = file.file_bytes() != 0;
  continues_ = requests_.asked();
}

bool SnapshotReader::is_due(std::span<const RingDrain> rings) {
  asked_ = requests_.asked();
  // A trigger does not create an empty file.
  wanted_ = wanted_ && std::any_of(rings.begin(), rings.end(),
                                   [](const RingDrain& ring) { return ring.has_data(); });
  return asked_ || wanted_;
}

void SnapshotReader::begin(std::uint64_t tsc, const DrainCounts& counts) {
  continues_ = false;
  wanted_ = false;
  ring_ = 0;
  begin_tsc_ = tsc;
  counts_ = counts;
  stage_ = Stage::kReading;
}

RingDrain::Result SnapshotReader::read(std::span<RingDrain> rings, std::uint64_t most_bytes,
                                       const DrainWay& way) {
  const std::uint64_t before = way.counts->ring_bytes;
  std::uint64_t copied = 0;
  for (; ring_ < rings.size(); ++ring_) {
    const std::uint64_t taken = std::max(way.counts->ring_bytes - before, copied);
    if (taken >= most_bytes) return RingDrain::Result::kMore;
    const RingDrain::Result result =
        rings[ring_].drain_overwritten(most_bytes - taken, way, &copied);
    file_has_records_ = file_has_records_ || way.counts->file_bytes != counts_.file_bytes;
    if (result != RingDrain::Result::kDone) return result;
  }
  return RingDrain::Result::kDone;
}

void SnapshotReader::seal(TraceFile& file) {
  file.seal();
  sealed_ = file.sealed();
  path_ = file.path();
  stage_ = Stage::kWriting;
}

void SnapshotReader::finish_if_written(const TraceFile& file, const DrainCounts& counts) {
  if (file.written() < sealed_) return;
  stage_ = Stage::kNone;
  const std::string text = "snapshot of " + segment_ + " in " + path_;
  if (asked_) {
    log_.detail(text, {{"segment", segment_}, {"file", path_}});
    answer(counts);
  } else {
    log_.notice(text, {{"segment", segment_}, {"file", path_}});
  }
}

RingDrain::Result SnapshotReader::read_last(std::span<RingDrain> rings, std::uint64_t most_bytes,
                                            const DrainWay& way, const TraceFile& file) {
  if (stage_ == Stage::kReading) {
    const RingDrain::Result result = read(rings, most_bytes, way);
    if (result != RingDrain::Result::kDone) return result;
  }
  stage_ = Stage::kReading;
  ring_ = 0;  // records that the rings read first have received since
  const RingDrain::Result result = read(rings, most_bytes, way);
  if (result != RingDrain::Result::kDone) return result;
  path_ = file.path();
  last_taken_ = true;
  return RingDrain::Result::kDone;
}

void SnapshotReader::answer_last(const DrainCounts& counts) {
  if (last_taken_ && requests_.asked()) answer(counts);
}

void SnapshotReader::answer(const DrainCounts& counts) {
  requests_.answer(path_, counts.records - counts_.records, counts.dropped - counts_.dropped,
                   counts.overwritten - counts_.overwritten);
}

}  // namespace ringside::consumer
