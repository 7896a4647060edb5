#pragma once
// The help page of ringstat, which explains keys and columns: fits a terminal of 80 by 24.

#include <string_view>

namespace ringside::tool {

inline constexpr std::string_view kScreenHelp[] = {
    "Enter      threads of the selected service; cost of a thread's log calls",
    "Tab        switch between its statements and threads",
    "Esc, <-    back",
    "Up, Down   select another line; also PgUp, PgDn, Home, End",
    "o          sort by name, rate, fill, losses",
    "/          show only lines that contain the typed text; Enter ends typing",
    "p          pause",
    "?          this page",
    "q          quit",
    "",
    "FULLEST RING  # its fill; | the highest fill that consumerd ever found",
    "OVERFLOW      time until a ring is full at the present rate",
    "RATE, bytes/s bytes recorded, for each of the last samples; lost/s: records lost",
    "LOST          records lost since the threads started; causes at the bottom",
    "CALL P50      cost of the thread's log calls (RINGSIDE_COST_SAMPLING=8192)",
    "SHARE         share of the service's bytes, by a sample of its latest records",
};

}  // namespace ringside::tool
