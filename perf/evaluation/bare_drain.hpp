#pragma once
// Drains the rings of a segment without an encoder. Only for measuring: no reader can read what it
// writes.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/session/round_result.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/staging_file.hpp"

namespace ringside::perf {

class BareDrain {
 public:
  // `copies`: the bytes go through staging slots to the file `fd`; otherwise they are released
  // without being read.
  BareDrain(consumer::AttachedSegment& segment, consumer::SlotWriter& writer,
            consumer::StagingFile& staging, int fd, bool copies)
      : segment_(segment), writer_(writer), staging_(staging), fd_(fd), copies_(copies) {}

  // One pass over all rings, as consumerd makes them.
  consumer::RoundResult poll() {
    consumer::RoundResult result;
    segment_.control().consumer.heartbeat.fetch_add(1, std::memory_order_relaxed);
    positions_.resize(segment_.rings_used(), 0);
    for (std::uint32_t index = 0; index < positions_.size(); ++index) drain(index, &result);
    return result;
  }

  void seal() {
    if (slot_ == consumer::kNoSlot) return;
    shm::SlotHeader& header = staging_.header(slot_);
    header.file_offset = offset_;
    header.commit.store(shm::make_commit(used_, 0), std::memory_order_release);
    offset_ += used_;
    writer_.write(slot_, fd_, {});
    slot_ = consumer::kNoSlot;
  }

  std::uint64_t bytes() const { return offset_; }  // written, once it is sealed

 private:
  void drain(std::uint32_t index, consumer::RoundResult* result) {
    shm::RingMetadata& ring = segment_.ring(index);
    std::uint64_t& pos = positions_[index];
    // Pairs with the producer's release: everything before `end` is written.
    const std::uint64_t end = ring.producer.producer_pos.load(std::memory_order_acquire);
    if (pos == end) return;
    const std::uint64_t begin = pos;
    result->fullest_permille =
        std::max(result->fullest_permille, (end - pos) * 1000 / segment_.layout().ring_bytes);
    while (pos != end) {
      const std::uint64_t bytes = std::min(end - pos, kBatchBytes);
      if (copies_) {
        if (!has_room(bytes)) {
          result->starved = true;
          break;
        }
        std::memcpy(staging_.data(slot_).data() + used_,
                    segment_.ring_bytes(index) + (pos & (segment_.layout().ring_bytes - 1)), bytes);
        used_ += static_cast<std::uint32_t>(bytes);
      }
      pos += bytes;
      // Pairs with the producer's acquire before it writes there again.
      ring.consumer.consumer_pos.store(pos, std::memory_order_release);
    }
    ring.consumer.written_pos.store(pos, std::memory_order_relaxed);
    result->ring_bytes += pos - begin;
  }

  // A slot with room for a batch; false if every slot waits for the disk.
  bool has_room(std::uint64_t bytes) {
    if (slot_ != consumer::kNoSlot && consumer::kStagingSlotBytes - used_ >= bytes) return true;
    seal();
    slot_ = writer_.acquire(client_);
    used_ = 0;
    return slot_ != consumer::kNoSlot;
  }

  static constexpr std::uint64_t kBatchBytes = 64U << 10;  // as consumerd

  consumer::AttachedSegment& segment_;
  consumer::SlotWriter& writer_;
  consumer::StagingFile& staging_;
  const int fd_;
  const bool copies_;
  consumer::WriteClient client_;
  std::vector<std::uint64_t> positions_;  // by ring
  std::uint32_t slot_ = consumer::kNoSlot;
  std::uint32_t used_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace ringside::perf
