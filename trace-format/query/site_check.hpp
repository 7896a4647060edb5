// Checks the sites of all files before the first record is visited.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/query/field_binding.hpp"
#include "trace-format/query/query_error.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/query/site_selector.hpp"

namespace ringside::trace::query {

// A site of the query; sites with the same description in several files are one.
struct MatchedSite {
  Site site;  // without its values and enumerations: only names, places and types are used
  std::string service;
};

struct SiteCheck {
  std::optional<ReadError> unreadable;  // a path
  std::optional<QueryError> error;
  std::vector<MatchedSite> matched;
  std::vector<MatchedSite> contexts;  // statements of contexts that have one of `demands`
  bool ok() const { return !unreadable && !error; }
};

// Files of `paths` (a directory means its trace files). Empty with `*error` if there are none.
std::optional<std::vector<std::string>> files_of(std::span<const std::string> paths,
                                                 ReadError* error);

// The sites of `files` that `selector` selects and `scope` wants. An error if there is none, or if
// one of them lacks fields in `demands` that no context has either, if it may.
SiteCheck check_sites(std::span<const std::string> files, const SiteSelector& selector,
                      std::span<const FieldDemand> demands, const Scope& scope = {});

}  // namespace ringside::trace::query
