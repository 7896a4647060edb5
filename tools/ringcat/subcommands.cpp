#include "tools/ringcat/agg_command.hpp"
#include "tools/ringcat/collected_command.hpp"
#include "tools/ringcat/crash_command.hpp"
#include "tools/ringcat/hist_command.hpp"
#include "tools/ringcat/inspect_command.hpp"
#include "tools/ringcat/mcp_command.hpp"
#include "tools/ringcat/packing_commands.hpp"
#include "tools/ringcat/print_command.hpp"
#include "tools/ringcat/report_command.hpp"
#include "tools/ringcat/rewriting_commands.hpp"
#include "tools/ringcat/spans_command.hpp"
#include "tools/ringcat/stacks_command.hpp"
#include "tools/ringcat/statements_command.hpp"
#include "tools/ringcat/stats_command.hpp"
#include "tools/ringcat/verify_command.hpp"
#include "tools/text/subcommand.hpp"

namespace ringside::tool {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"agg", "count, sum, percentiles of a number; times between two sites", run_agg},
    {"hist", "draw a histogram of a number in the terminal", run_hist},
    {"print", "print records sorted by time; the default without a subcommand", run_print},
    {"inspect", "show the contents of a file of any format, as text, JSON or CSV", run_inspect},
    {"verify", "check every block, number and index of trace files", run_verify},
    {"statements", "list all log statements, executed or not, with numbers of records",
     run_statements},
    {"collected", "show what was collected over time, and who changed it", run_collected},
    {"crash", "tell how each process ended: its crash, its last records", run_crash},
    {"spans", "print the spans of each thread as a tree; those without an end", run_spans},
    {"stacks", "print records with stacks, with the names of functions", run_stacks},
    {"stats", "count records, bytes and losses by stream, statement and interval", run_stats},
    {"report", "make one HTML page of a trace, to look at in a browser", run_report},
    {"mcp", "answer questions of programs about traces (Model Context Protocol)", run_mcp},
    {"pack", "pack trace files with zstd; ringcat reads packed files directly", run_pack},
    {"unpack", "unpack packed trace files", run_unpack},
    {"slice", "copy records of a time range, services or threads into a new file", run_slice},
    {"merge", "merge trace files into one", run_merge},
    {"repair", "copy the intact parts of a damaged trace file into a new file", run_repair},
};

}  // namespace

std::span<const Subcommand> subcommands() {
  return kSubcommands;
}

}  // namespace ringside::tool
