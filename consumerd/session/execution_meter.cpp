#include "consumerd/session/execution_meter.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace ringside::consumer {
namespace {

constexpr std::size_t kMostLabelBytes = 128;

}  // namespace

std::string statement_label(const trace::Site& site) {
  std::string label = site.file.substr(site.file.rfind('/') + 1) + ':' + std::to_string(site.line);
  if (label.size() > kMostLabelBytes) label.erase(0, label.size() - kMostLabelBytes);
  std::replace_if(
      label.begin(), label.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return label;
}

const StatementCounts& ExecutionMeter::read(const trace::SiteTable* sites) {
  if (sites == nullptr) return totals_;
  const std::uint32_t backed = segment_.sites_with_executions();
  auto page = std::make_unique<Page>();
  for (std::uint32_t i = 0; i < kPagesAtATime && next_site_ < backed; ++i) {
    if (!segment_.read_executions(next_site_, std::as_writable_bytes(std::span(*page)))) break;
    add_page(next_site_, *page, *sites);
    next_site_ += shm::kExecutionPageSites;
  }
  if (next_site_ < backed) return totals_;
  next_site_ = 0;
  totals_.keep_growing(std::exchange(round_, {}));
  return totals_;
}

void ExecutionMeter::add_page(std::uint32_t first_site, const Page& page,
                              const trace::SiteTable& sites) {
  for (std::uint32_t i = 0; i < shm::kExecutionPageSites; ++i) {
    StatementCount sum;
    for (std::uint32_t stripe = 0; stripe < shm::kExecutionStripes; ++stripe) {
      const Entry& entry = page[std::size_t{stripe} * shm::kExecutionPageSites + i];
      sum.add({entry.counted, entry.suppressed});
    }
    const trace::Site* const site = sites.find(first_site + i);
    if (site == nullptr || (sum.counted == 0 && sum.suppressed == 0)) continue;
    const std::string label = statement_label(*site);
    // The first places keep their series.
    totals_.at(label);
    const bool is_known = totals_.by_place().contains(label);
    round_.at(is_known ? label : StatementCounts::kOthers).add(sum);
  }
}

}  // namespace ringside::consumer
