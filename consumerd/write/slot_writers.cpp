#include "consumerd/write/slot_writers.hpp"

#include <algorithm>
#include <utility>

namespace ringside::consumer {
namespace {

template <class Number>
Number sum_of(const std::vector<std::unique_ptr<SlotWriter>>& writers,
              Number (SlotWriter::*number)() const) {
  Number sum = 0;
  for (const auto& writer : writers) sum += ((*writer).*number)();
  return sum;
}

}  // namespace

SlotWriters::SlotWriters(std::unique_ptr<BlockIo> io) {
  if (io != nullptr) ios_.push_back(std::move(io));
}

bool SlotWriters::open_io(IoChoice choice, std::uint32_t threads, std::string* why) {
  while (ios_.size() < threads) {
    why->clear();  // the reason of a fallback is the same for all
    ios_.push_back(make_block_io(choice, kStagingSlots, why));
    if (ios_.back() == nullptr) return false;
  }
  return true;
}

void SlotWriters::open(StagingFile& staging, const Log& log, const SyncPolicy& sync) {
  for (std::uint32_t thread = 0; thread < ios_.size(); ++thread) {
    WriterRole role;
    role.sync = sync;
    role.thread = thread;
    writers_.push_back(std::make_unique<SlotWriter>(staging, *ios_[thread], log, role));
  }
}

void SlotWriters::poll(bool wait) {
  if (threads() == 1) return writers_.front()->poll(wait);
  const std::uint64_t before = slots_written();
  for (const auto& writer : writers_) writer->poll(false);
  if (!wait || slots_written() != before) return;
  const auto busy = std::find_if(writers_.begin(), writers_.end(),
                                 [](const auto& writer) { return !writer->only_failing(); });
  (busy != writers_.end() ? *busy : writers_.front())->poll(true);
}

bool SlotWriters::idle() const {
  return std::all_of(writers_.begin(), writers_.end(),
                     [](const auto& writer) { return writer->idle(); });
}

bool SlotWriters::only_failing() const {
  return std::all_of(writers_.begin(), writers_.end(),
                     [](const auto& writer) { return writer->only_failing(); });
}

std::uint64_t SlotWriters::slots_written() const {
  return sum_of(writers_, &SlotWriter::slots_written);
}

std::uint64_t SlotWriters::bytes_written() const {
  return sum_of(writers_, &SlotWriter::bytes_written);
}

std::uint64_t SlotWriters::failures() const {
  return sum_of(writers_, &SlotWriter::failures);
}

std::uint32_t SlotWriters::failing() const {
  return sum_of(writers_, &SlotWriter::failing);
}

void SlotWriters::count_syncs(std::uint64_t* syncs, std::uint64_t* failures) const {
  *syncs = *failures = 0;
  for (const auto& writer : writers_) {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    writer->syncer().count(&done, &failed);
    *syncs += done;
    *failures += failed;
  }
}

}  // namespace ringside::consumer
