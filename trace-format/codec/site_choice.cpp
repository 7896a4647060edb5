#include "trace-format/codec/site_choice.hpp"

#include <algorithm>
#include <numeric>

namespace ringside::trace {

void SiteChoice::add(const Site& site, std::span<const std::uint16_t> fields) {
  std::vector<bool>& wanted = wanted_[site.id];
  wanted.resize(std::max(wanted.size(), site.fields.size()));
  for (const std::uint16_t field : fields) {
    if (field < wanted.size()) wanted[field] = true;
  }
  for (const FieldPlan& field : site.plan.fields) {
    numbers_ = numbers_ || (field.coding == Coding::kFloat64 && wanted[field.field]);
  }
  plans_.clear();
}

void SiteChoice::add(const Site& site) {
  std::vector<std::uint16_t> all(site.fields.size());
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  add(site, all);
}

void SiteChoice::follow(const Site& site) {
  for (const FieldPlan& field : site.plan.fields) {
    if (field.coding != Coding::kFloat64 || numbers_) continue;
    numbers_ = true;
    plans_.clear();
  }
}

const SiteChoice::Plan& SiteChoice::plan(const Site& site) {
  if (site.id >= plans_.size()) plans_.resize(std::size_t{site.id} + 1);
  std::unique_ptr<Plan>& plan = plans_[site.id];
  if (plan == nullptr) {
    const auto wanted = wanted_.find(site.id);
    const bool chosen = wanted != wanted_.end();
    plan = std::make_unique<Plan>();
    plan->chosen = chosen;
    if (site.kind == shm::SiteKind::kContext) {
      plan->reading = site.reading;
      return *plan;
    }
    plan->reading =
        narrowed_plan(site.reading, chosen ? wanted->second : std::vector<bool>(), numbers_);
  }
  return *plan;
}

}  // namespace ringside::trace
