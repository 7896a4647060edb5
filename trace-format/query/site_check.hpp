// Looks at the sites of all files before the first record is visited.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace-format/query/field_binding.hpp"
#include "trace-format/query/query_error.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/query/site_selector.hpp"
#include "trace-format/read_report.hpp"

namespace ringside::trace::query {

// A site that the query is about; sites that say the same in several files are one.
struct MatchedSite {
  Site site;  // values and enumerations of its own are not kept: names, places and types count
  std::string service;
};

struct SiteCheck {
  std::optional<ReadError> unreadable;  // a path
  std::optional<QueryError> error;
  std::vector<MatchedSite> matched;
  bool ok() const { return !unreadable && !error; }
};

// Files of `paths` (directories stand for their trace files). Empty with `*error` if there are
// none.
std::optional<std::vector<std::string>> files_of(std::span<const std::string> paths,
                                                 ReadError* error);

// The sites of `files` that `selector` chooses and `scope` wants. An error if there is none, or one
// of them has not the fields in `demands`.
SiteCheck check_sites(std::span<const std::string> files, const SiteSelector& selector,
                      std::span<const FieldDemand> demands, const Scope& scope = {});

}  // namespace ringside::trace::query
