#pragma once
// What consumerd's options select besides rules for records, as the trace states it.

#include <string>
#include <utility>
#include <vector>

#include "consumerd/configuration/options.hpp"
#include "trace-format/blocks/collection_block.hpp"

namespace ringside::consumer {

inline std::vector<trace::CollectionRule> described_filters(const Options& options) {
  trace::CollectionRule filter{trace::RuleKind::kFilter, {}};
  for (const std::string& glob : options.services) filter.settings.emplace_back("service", glob);
  if (filter.settings.empty()) return {};
  return {std::move(filter)};
}

}  // namespace ringside::consumer
