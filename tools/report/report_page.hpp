#pragma once
// A report as one HTML file, or as JSON for programs.

#include <cstddef>
#include <string>
#include <vector>

#include "tools/report/report_section.hpp"

namespace ringside::tool {

// The page with its programs and the data, which is packed: each section is one zstd frame in
// Base64, in a script element that is not executed. So nothing of a trace is read as HTML.
std::string report_as_page(const std::vector<ReportSection>& sections);

// What all sections may have together when packed, so that a page has less than 10 MB.
std::size_t most_packed_bytes();

// One object with a member for each section.
std::string report_as_json(const std::vector<ReportSection>& sections);

}  // namespace ringside::tool
