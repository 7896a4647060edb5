#include "tools/report/moment_part.hpp"

#include <nlohmann/json.hpp>

#include "tools/query/collected_report.hpp"
#include "tools/report/report_part.hpp"

namespace ringside::tool {

using nlohmann::json;

std::string moments_document(const KnownMoments& moments, const TimeGrid& grid) {
  json changes = json::array();
  for (const CollectionMoment& moment : moments.changes) {
    changes.push_back({{"at", document_ns(moment.unix_ns, grid)},
                       {"service", moment.service},
                       {"pid", moment.pid},
                       {"cause", cause_token(moment.change.cause)},
                       {"text", change_text(moment.change)}});
  }
  return json{{"changes", std::move(changes)}, {"further", moments.further_changes}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

}  // namespace ringside::tool
