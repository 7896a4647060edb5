#include "libagent/recording/stacked_statement.hpp"

#include <exception>
#include <string_view>

#include "libagent/description/statement_entry.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/recording/appended_statement.hpp"
#include "shm-layout/printf_fields.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kNeverStacked = UINT32_MAX;

// Null without memory.
std::atomic<std::uint32_t>* ids_of(Segment& segment) {
  if (auto* const known = segment.stacked_ids.load(std::memory_order_relaxed)) return known;
  segment.stacked_id_memory = ZeroedArray<std::atomic<std::uint32_t>>(segment.layout.site_capacity);
  if (!segment.stacked_id_memory) return nullptr;
  // Pairs with the acquire in stacked_id().
  segment.stacked_ids.store(&segment.stacked_id_memory[0], std::memory_order_release);
  return &segment.stacked_id_memory[0];
}

// Those of crashes are recorded when the stack may be damaged.
bool is_own(const rs_site& site) {
  return site.detail != nullptr && site.detail->category != nullptr &&
         std::string_view(site.detail->category) == "ringside" &&
         (site.file == nullptr || *site.file == '\0');
}

bool can_have_stack(const rs_site& site) {
  // A span is recorded long after its switch is read; a context is not an event.
  const bool is_span = (site.flags & RS_SITE_HISTOGRAM) == RS_SITE_SPAN;
  return !is_span && site.style != RS_STYLE_CONTEXT && !is_own(site);
}

// The new id; kNeverStacked if it cannot have one; 0 if there is no memory now.
std::uint32_t enter(Agent& agent, Segment& segment, rs_site& site) {
  const std::uint32_t id = next_statement_id(segment);
  if (id >= segment.layout.site_capacity || id > shm::kMaxSiteId) return kNeverStacked;
  const bool is_printf = site.style == RS_STYLE_PRINTF && site.format != nullptr;
  const shm::FieldList conversions =
      is_printf ? shm::printf_fields(std::string_view(site.format)) : shm::FieldList();
  StatementEntry entry(site);
  if (entry.read(id, conversions) != nullptr || !entry.add_stack()) return kNeverStacked;
  const auto cause = append_statement(agent, segment, entry, FieldTypes(site));
  if (!cause) return id;
  return *cause == shm::LossCause::kNoSharedMemory ? 0 : kNeverStacked;
}

}  // namespace

std::uint32_t known_stacked_id(const Segment& segment, std::uint32_t site_id) {
  // Pairs with the release in ids_of().
  const auto* const ids = segment.stacked_ids.load(std::memory_order_acquire);
  if (ids == nullptr || site_id >= segment.layout.site_capacity) return 0;
  // Pairs with the release in stacked_id(): the dictionary has the entry.
  const std::uint32_t id = ids[site_id].load(std::memory_order_acquire);
  return id != kNeverStacked ? id : 0;
}

std::uint32_t stacked_id(rs_site& site, Segment& segment) {
  const auto site_id = static_cast<std::uint32_t>(site.id);
  if (!can_have_stack(site) || site_id >= segment.layout.site_capacity) return 0;
  const auto* const known = segment.stacked_ids.load(std::memory_order_acquire);
  if (known != nullptr) {
    const std::uint32_t id = known[site_id].load(std::memory_order_acquire);
    if (id != 0) return id != kNeverStacked ? id : 0;
  }
  if (ReentryGuard::is_active()) return 0;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  Agent& a = agent();
  if (!lock.is_taken() || a.segment.load(std::memory_order_relaxed) != &segment) return 0;
  std::atomic<std::uint32_t>* const ids = ids_of(segment);
  if (ids == nullptr) return 0;
  std::uint32_t id = ids[site_id].load(std::memory_order_relaxed);
  if (id == 0) {
    try {
      id = enter(a, segment, site);
    } catch (const std::exception&) {  // no memory, even for a message
      return 0;
    }
    ids[site_id].store(id, std::memory_order_release);
  }
  return id != kNeverStacked ? id : 0;
}

void take_over_stacked_ids(const Segment& from, Segment& to) {
  const auto* const ids = from.stacked_ids.load(std::memory_order_relaxed);
  if (ids == nullptr) return;
  std::atomic<std::uint32_t>* const copy = ids_of(to);
  if (copy == nullptr) return;
  for (std::uint32_t id = 1; id <= from.site_count && id < to.layout.site_capacity; ++id) {
    copy[id].store(ids[id].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

}  // namespace ringside
