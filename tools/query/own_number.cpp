#include "tools/query/own_number.hpp"

#include <algorithm>

#include "shm-layout/dictionary_entry.hpp"

namespace ringside::tool {
namespace {

using trace::query::MatchedSite;

std::string name_of_sample(const MatchedSite& matched) {
  return matched.site.fields.empty() ? std::string() : matched.site.fields.front().name;
}

}  // namespace

std::string own_number(const std::vector<MatchedSite>& sites) {
  if (sites.empty()) return {};
  const auto all_are = [&sites](shm::SiteKind kind) {
    return std::all_of(sites.begin(), sites.end(),
                       [kind](const MatchedSite& one) { return one.site.kind == kind; });
  };
  if (all_are(shm::SiteKind::kSpan)) return "@duration_ns";
  if (!all_are(shm::SiteKind::kHistogram)) return {};
  const std::string name = name_of_sample(sites.front());
  const bool is_common =
      !name.empty() && std::all_of(sites.begin(), sites.end(), [&name](const MatchedSite& one) {
        return name_of_sample(one) == name;
      });
  return is_common ? name : "#1";
}

}  // namespace ringside::tool
