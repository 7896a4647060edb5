// How SectionRewriter keeps what a section states about all threads of a service together.
#include "tools/files/section_rewriter.hpp"
#include "trace-format/blocks/call_costs_block.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::tool {

using trace::Block;

// Not for a cut that selects threads: losses by statement are those of all threads together.
void SectionRewriter::take_losses(const Block& block) {
  trace::LossesBlock losses;
  if (!trace::LossesBlock::parse(block.payload, losses)) {
    return leave_out(block.offset, "a LOSSES block is shorter than its count");
  }
  if (!wants(losses.until_tsc) || (!cut_.everything && cut_.stream)) return;
  for (const trace::LossCount& count : losses.by_site) write_entry(count.site_id);
  open();
  copy(block);
}

// Totals of the whole service, which a cut keeps as they were within it. Without records they are
// not worth a section.
void SectionRewriter::take_call_costs(const Block& block) {
  trace::CallCostsBlock costs;
  if (!trace::CallCostsBlock::parse(block.payload, costs)) {
    return leave_out(block.offset, "a CALL_COSTS block is invalid");
  }
  if (wants(costs.until_tsc)) copy(block);
}

}  // namespace ringside::tool
