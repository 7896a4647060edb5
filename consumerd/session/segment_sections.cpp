#include "consumerd/session/segment_sections.hpp"

#include <span>
#include <string>

#include "consumerd/files/section_front.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kFrontBytes = 1024;

}  // namespace

bool SegmentSections::begin() {
  if (has_begun_) return true;
  TraceFile& file = parts_.file;
  const std::span<std::byte> out = file.space(kFrontBytes);
  if (out.empty()) return false;
  std::size_t bytes =
      trace::write_header_block(section_header(parts_.segment.header(), file.sequence()), out);
  bytes += parts_.clock.write_first_points(out.subspan(bytes));
  file.commit(bytes);
  has_begun_ = true;
  parts_.rotation.begin_first_section();
  parts_.clock.begin(file);
  return true;
}

bool SegmentSections::change_file(const RecordPass* pass) {
  TraceFile& file = parts_.file;
  std::string why;
  const bool done =
      file.rotate([&](std::uint32_t sequence) { return front(sequence, pass, true); },
                  parts_.rotation.section_end(trace::EndReason::kRotation, parts_.counts), &why,
                  parts_.shares.next_sequence());
  if (!done) {
    parts_.rotation.failed(why, file);
    return false;
  }
  publish_file_sequence();
  if (parts_.rotation.astray()) parts_.points.pending_bytes() = 0;
  parts_.rotation.rotated(file, parts_.counts);
  parts_.shares.unite(parts_.rings, parts_.points, trace::EndReason::kRotation);
  parts_.dictionary.enter_restated_section();
  for (RingDrain& ring : parts_.rings.all()) ring.enter_restated_section();
  parts_.snapshots.enter_file();
  parts_.points.begin_section();
  parts_.log.detail("continuing in " + file.path(),
                    {{"segment", parts_.segment.name()}, {"file", file.path()}});
  return true;
}

void SegmentSections::spread(const RecordPass* pass) {
  parts_.shares.spread({parts_.file, parts_.dictionary, parts_.clock, parts_.rings,
                        [&](std::uint32_t sequence) { return front(sequence, pass, false); },
                        [this](std::uint32_t sequence) { publish_next(sequence); }});
}

void SegmentSections::publish_next(std::uint32_t sequence) {
  parts_.segment.control().consumer.next_file_sequence.store(sequence, std::memory_order_relaxed);
}

std::vector<std::byte> SegmentSections::front(std::uint32_t sequence, const RecordPass* pass,
                                              bool has_streams) {
  const trace::SectionHeader header = section_header(parts_.segment.header(), sequence);
  std::vector<std::byte> front(kFrontBytes);
  std::size_t bytes = trace::write_header_block(header, front);
  bytes += parts_.clock.write_last_points(std::span(front).subspan(bytes));
  front.resize(bytes);
  parts_.dictionary.restate(&front);
  parts_.collection.restate(&front, parts_.dictionary.sites(), pass);
  if (!has_streams) return front;
  for (RingDrain& ring : parts_.rings.all()) ring.restate_stream(&front);
  return front;
}

}  // namespace ringside::consumer
