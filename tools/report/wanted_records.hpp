#pragma once
// Which records of a trace a report is of.

#include "tools/query/event_filter.hpp"
#include "tools/report/known_moments.hpp"

namespace ringside::tool {

inline KnownMoments::Wanted wanted_records(const EventFilter& filter) {
  if (filter.selects_all()) return KnownMoments::Wanted::kAll;
  return filter.is_decided_by_reader() ? KnownMoments::Wanted::kAsRead
                                       : KnownMoments::Wanted::kFewer;
}

}  // namespace ringside::tool
