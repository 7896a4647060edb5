#pragma once
// Finds names in filters and columns that no trace has: the answer to such a question would be
// empty, but look valid.

#include <string>
#include <vector>

#include "tools/query/filter_options.hpp"

namespace ringside::tool {

struct AskedNames {
  FilterOptions filter;             // globs of services, threads, categories and sites
  std::vector<std::string> fields;  // in --where
  std::vector<std::string> columns;
  std::vector<std::string> properties;  // in --where, without @
};

struct NameFindings {
  std::vector<std::string> unknown;
  std::vector<std::string> notes;
};

// `unknown`: a message for each option that cannot match anything in the trace files and
// directories `paths`, whatever their records are: none of its globs matches, or no statement has
// the field. `notes`: a message for each property that has the name of a field too. Both are empty
// if the files cannot be read or describe nothing, which other code reports.
NameFindings find_unknown_names(const std::vector<std::string>& paths, const AskedNames& asked);

// The same, told to the user. True if there are unknown names.
bool complain_of_unknown_names(const std::vector<std::string>& paths, const AskedNames& asked);
// The same, where later records may have the names.
void say_that_names_are_awaited(const std::vector<std::string>& paths, const AskedNames& asked);

}  // namespace ringside::tool
