#pragma once
// The page of a report without its data, which embed_page.py makes of page/.

#include <string_view>

namespace ringside::tool {

// Contains <!--report-data--> once.
std::string_view page_text();

}  // namespace ringside::tool
