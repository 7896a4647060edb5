#include "consumerd/session/sequence_points.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kBytesBetweenPoints = 256U << 10;  // encoded, between two sequence points

}  // namespace

bool SequencePoints::write(std::uint64_t watermark_tsc, std::span<const RingDrain> rings,
                           TraceFile& file) {
  moved_.clear();
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (rings[i].share() != share_) continue;
    const trace::StreamPosition position = position_of(rings[i]);
    // Compares the stream too: the successor of a thread may have the same sequence number.
    if (position.next_sequence == positions_[i].next_sequence &&
        position.stream_id == positions_[i].stream_id) {
      continue;
    }
    moved_.push_back(position);
  }
  const std::span<std::byte> out = file.space(64 + moved_.size() * sizeof(trace::StreamPosition));
  if (out.empty()) return false;
  file.commit(trace::write_sequence_point_block(watermark_tsc, moved_, out));
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (rings[i].share() == share_) positions_[i] = position_of(rings[i]);
  }
  watermark_tsc_ = watermark_tsc;
  pending_bytes_ = 0;
  last_ = std::chrono::steady_clock::now();
  return true;
}

bool SequencePoints::is_due(std::chrono::steady_clock::time_point now,
                            std::chrono::steady_clock::duration interval) const {
  return pending_bytes_ >= kBytesBetweenPoints || now - last_ >= interval;
}

}  // namespace ringside::consumer
