#include "tools/report/statement_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace ringside::tool {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::uint8_t, std::string_view>;
struct Sides {
  std::vector<const SiteStats*> before;
  std::vector<const SiteStats*> after;
};

Key key_of(const SiteStats& site) {
  return {site.service, site.file, site.level, site.text};
}

void sort_by_line(std::vector<const SiteStats*>& sites) {
  std::sort(sites.begin(), sites.end(),
            [](const SiteStats* a, const SiteStats* b) { return a->line < b->line; });
}

}  // namespace

std::vector<StatementPair> statement_pairs(const TraceStats& before, const TraceStats& after) {
  std::map<Key, Sides> known;
  for (const SiteStats* const site : before.sites()) known[key_of(*site)].before.push_back(site);
  for (const SiteStats* const site : after.sites()) known[key_of(*site)].after.push_back(site);
  std::vector<StatementPair> pairs;
  for (auto& [key, sides] : known) {
    sort_by_line(sides.before);
    sort_by_line(sides.after);
    for (std::size_t i = 0; i < std::max(sides.before.size(), sides.after.size()); ++i) {
      pairs.push_back({i < sides.before.size() ? sides.before[i] : nullptr,
                       i < sides.after.size() ? sides.after[i] : nullptr});
    }
  }
  return pairs;
}

}  // namespace ringside::tool
