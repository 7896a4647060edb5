#include "tools/report/moment_part.hpp"

#include <nlohmann/json.hpp>

#include "tools/query/collected_report.hpp"
#include "tools/report/halved.hpp"
#include "tools/report/report_part.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

std::string moments_document(const KnownMoments& moments, const TimeGrid& grid, unsigned level) {
  constexpr std::size_t kMostTextBytes = 2'000;
  constexpr std::size_t kLeastTextBytes = 60;
  json changes = json::array();
  for (const CollectionMoment& moment : moments.changes) {
    if (changes.size() == halved(KnownMoments::kMostChanges, level)) break;
    const std::string text = change_text(moment.change);
    changes.push_back(
        {{"at", document_ns(moment.unix_ns, grid)},
         {"service", first_bytes(moment.service, kLeastTextBytes)},
         {"pid", moment.pid},
         {"cause", cause_token(moment.change.cause)},
         {"text", first_bytes(text, halved(kMostTextBytes, level, kLeastTextBytes))}});
  }
  const std::uint64_t further = moments.further_changes + moments.changes.size() - changes.size();
  return json{{"changes", std::move(changes)}, {"further", further}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

}  // namespace ringside::tool
