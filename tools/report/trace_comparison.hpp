#pragma once
// What changed from one trace to another: rates, presence and numbers of statements.

#include <nlohmann/json_fwd.hpp>

#include "tools/report/compared_trace.hpp"

namespace ringside::tool {

// README.md, "Comparison" and "comparison" of the data. `statement` numbers are those of `after`.
nlohmann::json compare_traces(const ComparedParts& before, const ComparedParts& after,
                              const std::string& before_title);

// The same with fewer changes and shorter texts. `level`: of SectionFitting.
nlohmann::json reduced_comparison(const nlohmann::json& comparison, unsigned level);

}  // namespace ringside::tool
