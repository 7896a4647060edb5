#pragma once
// Triggers of consumerd and other changes of what was collected.

#include <string>

#include "tools/report/known_moments.hpp"
#include "tools/report/time_grid.hpp"

namespace ringside::tool {

// README.md, "triggers". `level`: of SectionFitting.
std::string moments_document(const KnownMoments& moments, const TimeGrid& grid, unsigned level);

}  // namespace ringside::tool
