#pragma once
// A statement as entries of a dictionary.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/interop/site_definition.hpp"

namespace ringside::tool {

// In the order of a dictionary: the entries of the statement's enumerations, then its own. Names
// and texts beyond the dictionary's limits (shm-layout/dictionary_entry.hpp) are cut. `enum_tables`
// is the number of the last table, and is incremented. At most shm::kMaxFields fields.
std::vector<std::vector<std::byte>> site_entries(const SiteDefinition& site, std::uint32_t site_id,
                                                 std::uint32_t& enum_tables);

// Whether site_entries() leaves its names, format and constants uncut.
bool is_carried_whole(const SiteDefinition& site);

}  // namespace ringside::tool
