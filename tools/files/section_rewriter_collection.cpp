// How SectionRewriter keeps what a section states about what was collected.
#include "tools/files/section_rewriter.hpp"
#include "trace-format/blocks/collection_block.hpp"

namespace ringside::tool {

using trace::Block;

// A cut needs the last state before its beginning, and the changes within it.
void SectionRewriter::take_collection(const Block& block) {
  trace::CollectionKind kind{};
  trace::CollectionState state;
  std::vector<trace::RuleEffect> effects;
  bool is_sound = trace::parse_collection_kind(block.payload, kind);
  const bool is_state = is_sound && kind == trace::CollectionKind::kState;
  const bool is_effects = is_sound && kind == trace::CollectionKind::kEffects;
  if (is_state) is_sound = trace::CollectionState::parse(block.payload, state);
  if (is_effects) is_sound = trace::parse_rule_effects(block.payload, effects);
  if (!is_sound) return leave_out(block.offset, "a COLLECTION block is shorter than its counts");
  // The effects of a state that is left out: its rules are those of no block that is kept.
  if (is_state || !is_effects) skips_effects_ = false;
  if (skips_effects_) return;
  if (cut_.everything || (!is_state && earlier_collection_.empty())) return copy(block);
  std::vector<std::byte> bytes(block.frame.block_bytes());
  if (file_.read(block.offset, bytes) != bytes.size()) return;
  if (!is_state) {
    earlier_collection_.push_back(std::move(bytes));
    return;
  }
  const std::uint64_t unix_ns = clock_.unix_ns(state.until_tsc);
  if (unix_ns >= cut_.until_ns) {
    skips_effects_ = true;
    return;
  }
  if (unix_ns < cut_.since_ns) {
    earlier_collection_.clear();
    earlier_collection_.push_back(std::move(bytes));
    note_statements(state);
    return;
  }
  write_earlier_collection();
  note_statements(state);
  write_noted_statements();
  if (!state.changes.empty() && !cut_.stream) open();
  write(bytes);
}

// Statements that are off do not occur in records, and still are to be named.
void SectionRewriter::note_statements(const trace::CollectionState& state) {
  collected_statements_.clear();
  for (const trace::CollectedStatement& statement : state.statements) {
    collected_statements_.push_back(statement.site_id);
  }
}

void SectionRewriter::write_noted_statements() {
  for (const std::uint32_t site_id : collected_statements_) write_entry(site_id);
  collected_statements_.clear();
}

void SectionRewriter::write_earlier_collection() {
  if (earlier_collection_.empty()) return;
  write_noted_statements();
  for (const auto& bytes : earlier_collection_) write(bytes);
  earlier_collection_.clear();
}

}  // namespace ringside::tool
