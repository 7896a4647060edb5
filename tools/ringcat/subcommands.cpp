#include "tools/ringcat/agg_command.hpp"
#include "tools/ringcat/hist_command.hpp"
#include "tools/ringcat/inspect_command.hpp"
#include "tools/ringcat/packing_commands.hpp"
#include "tools/ringcat/print_command.hpp"
#include "tools/ringcat/rewriting_commands.hpp"
#include "tools/ringcat/stats_command.hpp"
#include "tools/ringcat/verify_command.hpp"
#include "tools/text/subcommand.hpp"

namespace ringside::tool {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"agg", "counts, sums, percentiles of a number; times between two sites", run_agg},
    {"hist", "how the values of a number are spread, drawn in the terminal", run_hist},
    {"print", "records in the order of time; what ringcat does without a subcommand", run_print},
    {"inspect", "what a file of any format consists of, as text, JSON or CSV", run_inspect},
    {"verify", "checks every block, number and index of trace files", run_verify},
    {"stats", "records, bytes and losses by stream, statement and interval", run_stats},
    {"pack", "packs trace files with zstd; they are read like unpacked ones", run_pack},
    {"unpack", "restores packed trace files", run_unpack},
    {"slice", "the records of some time, services or threads as a file of their own", run_slice},
    {"merge", "several trace files as one", run_merge},
    {"repair", "what is sound of a damaged trace file as a sound one", run_repair},
};

}  // namespace

std::span<const Subcommand> subcommands() {
  return kSubcommands;
}

}  // namespace ringside::tool
