#include "trace-format/reader/waiting_extents.hpp"

#include <utility>

namespace ringside::trace {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{32} << 20;
constexpr std::size_t kDecodedBytes = std::size_t{64} << 20;

}  // namespace

std::uint32_t WaitingExtents::add(const Block& block, const ExtentHeader& header) {
  std::uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[number];
  slot.offset = block.offset;
  slot.records = header.records;
  slot.used = true;
  slot.payload.clear();
  if (kept_bytes_ + block.payload.size() > kKeptBytes) return number;
  slot.payload.assign(block.payload.begin(), block.payload.end());
  kept_bytes_ += block.payload.size();
  if (pool_ != nullptr) {
    candidates_.push_back({number, block.offset});
    feed();
  }
  return number;
}

void WaitingExtents::feed() {
  while (!candidates_.empty()) {
    const Candidate next = candidates_.front();
    Slot& slot = slots_[next.slot];
    const std::size_t bytes = slot.payload.size() + slot.records * DecodedExtent::kRecordBytes;
    const bool open = slot.used && slot.offset == next.offset && !slot.payload.empty();
    if (open && bytes <= DecodedExtent::kMostBytes) {
      if (decoded_bytes_ + bytes > kDecodedBytes) return;
      kept_bytes_ -= slot.payload.size();
      decoded_bytes_ += bytes;
      slot.job_bytes = bytes;
      slot.job = std::make_shared<DecodePool::Job>(std::make_unique<DecodedExtent>(
          std::move(slot.payload), catalog_.sites(), clocks_, catalog_.choice()));
      slot.payload = {};
      pool_->submit(slot.job);
    }
    candidates_.pop_front();
  }
}

WaitingExtents::Taken WaitingExtents::take(std::uint32_t number) {
  Slot& slot = slots_[number];
  Taken taken;
  taken.offset = slot.offset;
  if (slot.job != nullptr) {
    const std::shared_ptr<DecodePool::Job> job = std::move(slot.job);
    if (pool_->cancel_or_wait(*job) && !job->extent().is_too_large()) {
      taken.decoded = job->take();
      taken.decoded_bytes = slot.job_bytes;
    } else {
      taken.payload = job->extent().take_payload();
      release(slot.job_bytes);
    }
  } else {
    kept_bytes_ -= slot.payload.size();
    taken.payload = std::move(slot.payload);
  }
  slot.payload = {};
  slot.used = false;
  free_.push_back(number);
  return taken;
}

void WaitingExtents::release(std::size_t decoded_bytes) {
  decoded_bytes_ -= decoded_bytes;
  if (pool_ != nullptr) feed();
}

void WaitingExtents::settle() {
  for (const Slot& slot : slots_) {
    if (slot.job != nullptr) pool_->cancel_or_wait(*slot.job);
  }
}

}  // namespace ringside::trace
