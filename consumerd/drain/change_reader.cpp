#include "consumerd/drain/change_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "shm-layout/change_record.hpp"

namespace ringside::consumer {
namespace {

using trace::ChangeCause;
using trace::CollectionChange;

template <std::size_t kBytes>
std::string text_of(const char (&text)[kBytes]) {
  return {text, strnlen(text, kBytes)};
}

ChangeCause cause_of(std::uint32_t author) {
  if (author == static_cast<std::uint32_t>(shm::ChangeAuthor::kTool)) return ChangeCause::kTool;
  if (author == static_cast<std::uint32_t>(shm::ChangeAuthor::kTrigger)) {
    return ChangeCause::kTrigger;
  }
  return ChangeCause::kUnknown;
}

}  // namespace

ChangeReader::ChangeReader(AttachedSegment& segment)
    : segment_(segment),
      stated_tools_(segment.control().stated_changes.tools.load(std::memory_order_relaxed)),
      stated_service_(segment.control().stated_changes.service.load(std::memory_order_relaxed)),
      read_tools_(stated_tools_),
      read_service_(stated_service_) {}

std::uint64_t ChangeReader::tool_count() const {
  return segment_.control().change_records.count.load(std::memory_order_acquire);
}

std::uint64_t ChangeReader::service_count() const {
  // Pairs with the release at the end of a change.
  return segment_.control().service_changes.count.load(std::memory_order_acquire) / 2;
}

bool ChangeReader::has_new() const {
  return tool_count() != stated_tools_ || service_count() != stated_service_;
}

bool ChangeReader::is_changing() const {
  return (segment_.control().service_changes.count.load(std::memory_order_acquire) & 1U) != 0;
}

std::vector<CollectionChange> ChangeReader::read(std::uint64_t now_tsc) {
  std::vector<CollectionChange> changes;
  const shm::ChangeRecords& page = segment_.control().change_records;
  read_tools_ = tool_count();
  // A count that went back is a stray write of the service: it has nothing new.
  const std::uint64_t fresh = read_tools_ > stated_tools_ ? read_tools_ - stated_tools_ : 0;
  const std::uint64_t kept = std::min<std::uint64_t>(fresh, shm::kChangeRecords);
  bool is_complete = kept == fresh;
  for (std::uint64_t number = read_tools_ - kept + 1; number <= read_tools_ && kept != 0;
       ++number) {
    shm::ChangeRecord record{};
    std::memcpy(&record, &page.records[(number - 1) % shm::kChangeRecords], sizeof record);
    if (record.number != number) {
      is_complete = false;
      continue;
    }
    changes.push_back({cause_of(record.author), true, std::min(record.tsc, now_tsc), number,
                       record.uid, record.pid, text_of(record.user), text_of(record.command)});
  }
  if (!is_complete) {
    CollectionChange older;
    older.tsc = changes.empty() ? now_tsc : changes.front().tsc;
    changes.insert(changes.begin(), older);
  }
  read_service_ = service_count();
  if (read_service_ > stated_service_) {
    const std::uint64_t tsc =
        segment_.control().service_changes.tsc.load(std::memory_order_relaxed);
    changes.push_back({ChangeCause::kService, true, std::min(tsc, now_tsc), read_service_,
                       segment_.header().uid, segment_.header().pid, "", "set_level()"});
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const CollectionChange& a, const CollectionChange& b) { return a.tsc < b.tsc; });
  return changes;
}

void ChangeReader::stated() {
  stated_tools_ = read_tools_;
  stated_service_ = read_service_;
  shm::StatedChanges& line = segment_.control().stated_changes;
  line.tools.store(stated_tools_, std::memory_order_relaxed);
  line.service.store(stated_service_, std::memory_order_relaxed);
}

}  // namespace ringside::consumer
