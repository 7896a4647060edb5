#pragma once
// The help page of ringstat, which explains keys and columns: fits a terminal of 80 by 24.

#include <string_view>

namespace ringside::tool {

inline constexpr std::string_view kScreenHelp[] = {
    "Enter      threads of the service that is marked; cost of a thread's log calls",
    "Tab        its statements, and back to its threads",
    "Esc, <-    back",
    "Up, Down   mark another line; PgUp, PgDn, Home, End too",
    "o          sort by name, rate, fill, losses",
    "/          only lines that contain what you type; Enter ends the typing",
    "p          pause",
    "?          this page",
    "q          quit",
    "",
    "FULLEST RING  # how full it is; | the most that consumerd ever found in it",
    "OVERFLOW      when a ring is full if it goes on filling like this",
    "RATE, bytes/s bytes recorded, at each of the last looks; lost/s: what was lost",
    "LOST          records, since the threads began; causes stand at the bottom",
    "CALL P50      what log calls of the thread cost (RINGSIDE_COST_SAMPLING=8192)",
    "SHARE         of the service's bytes, by a sample of its latest records",
};

}  // namespace ringside::tool
