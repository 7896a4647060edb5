#include "trace-format/reader/collection_history.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "trace-format/blocks/block_reader.hpp"

namespace ringside::trace {
namespace {

StatementState by_level(const Site& site, std::uint8_t level) {
  return static_cast<std::uint8_t>(site.level) < level ? StatementState::kOff : StatementState::kOn;
}

CollectedSpan span_of(CollectionState state, const ClockMap& clocks) {
  const auto time_of = [&clocks](std::uint64_t tsc) { return tsc == 0 ? 0 : clocks.unix_ns(tsc); };
  CollectedSpan span;
  span.since_ns = time_of(state.since_tsc);
  span.until_ns = clocks.unix_ns(state.until_tsc);
  span.level_deadline_ns = time_of(state.level_deadline_tsc);
  // For state_of(); a sound writer wrote them in this order.
  std::stable_sort(state.statements.begin(), state.statements.end(),
                   [](const auto& a, const auto& b) { return a.site_id < b.site_id; });
  for (const CollectedStatement& statement : state.statements) {
    span.statement_deadlines_ns.push_back(time_of(statement.deadline_tsc));
  }
  for (const CollectionChange& change : state.changes) {
    span.changes_ns.push_back(clocks.unix_ns(change.tsc));
  }
  span.state = std::move(state);
  return span;
}

// A consumer that takes a segment over may state changes again. Tools and triggers share their
// numbers.
class KnownChanges {
 public:
  bool add(const CollectionChange& change) {
    const bool is_service = change.cause == ChangeCause::kService;
    const bool is_numbered =
        change.number != 0 &&
        (is_service || change.cause == ChangeCause::kTool || change.cause == ChangeCause::kTrigger);
    return !is_numbered || numbers_.emplace(is_service, change.number).second;
  }

 private:
  std::set<std::pair<bool, std::uint64_t>> numbers_;
};

void keep_new_changes(CollectedSpan& span, KnownChanges& known) {
  std::vector<CollectionChange> changes = std::move(span.state.changes);
  std::vector<std::uint64_t> times = std::move(span.changes_ns);
  span.state.changes.clear();
  span.changes_ns.clear();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!known.add(changes[i])) continue;
    span.state.changes.push_back(std::move(changes[i]));
    span.changes_ns.push_back(times[i]);
  }
}

// Sorts the spans and merges those that only repeat the one before.
void put_in_order(std::vector<CollectedSpan>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const CollectedSpan& a, const CollectedSpan& b) {
    return a.until_ns < b.until_ns;
  });
  std::vector<CollectedSpan> kept;
  KnownChanges known;
  for (CollectedSpan& span : spans) {
    keep_new_changes(span, known);
    const bool repeats =
        !kept.empty() && span.state.changes.empty() && span.state.collects_as(kept.back().state);
    if (repeats) {
      kept.back().effects.merge(span.effects);
    } else {
      kept.push_back(std::move(span));
    }
  }
  spans = std::move(kept);
}

}  // namespace

StatementState CollectedSpan::state_of(const Site& site, std::uint64_t unix_ns) const {
  const auto found = std::lower_bound(
      state.statements.begin(), state.statements.end(), site.id,
      [](const CollectedStatement& statement, std::uint32_t id) { return statement.site_id < id; });
  if (found != state.statements.end() && found->site_id == site.id) {
    const auto i = static_cast<std::size_t>(found - state.statements.begin());
    const std::uint64_t deadline = statement_deadlines_ns[i];
    return deadline != 0 && unix_ns >= deadline ? found->state_after : found->state;
  }
  const bool is_over = level_deadline_ns != 0 && unix_ns >= level_deadline_ns;
  return by_level(site, is_over ? state.level_after : state.level);
}

CollectedSegment& CollectionHistory::segment_of(const SectionScan& section) {
  const auto [place, is_new] = by_uuid_.try_emplace(section.segment->uuid, segments_.size());
  if (is_new) {
    CollectedSegment& added = segments_.emplace_back();
    added.segment = section.segment;
    added.sites = std::make_unique<SiteTable>();
  }
  return segments_[place->second];
}

bool CollectionHistory::add(const std::string& path, ReadError* error) {
  const std::unique_ptr<TraceFile> file = TraceFile::open(path, error);
  return file != nullptr && add(*file, error);
}

bool CollectionHistory::add(TraceFile& file, ReadError* error) {
  ReadReport found;
  const std::vector<SectionScan> sections = scan_sections(file, found);
  for (const SectionScan& section : sections) read_section(file, section);
  if (!sections.empty()) return true;
  *error = found.notes.empty() ? ReadError{file.path(), 0, "contains no readable trace",
                                           "check that it is a trace file"}
                               : found.notes.front();
  return false;
}

void CollectionHistory::read_section(TraceFile& file, const SectionScan& section) {
  CollectedSegment& segment = segment_of(section);
  BlockReader whole(file, section.begin, section.end, nullptr);
  Block block;
  for (const std::uint64_t offset : section.metadata) {
    std::string why;
    if (!whole.read_at(offset, block) || block.frame.type != BlockType::kDictionary) continue;
    segment.sites->add(block.payload, &why);  // `ringcat verify` reports what is invalid
  }
  std::optional<std::size_t> present;
  BlockReader headers(file, section.begin, section.end, nullptr);
  while (headers.next_header(block, 0)) {
    if (block.frame.type != BlockType::kCollection) continue;
    const std::uint64_t offset = block.offset;
    if (whole.read_at(offset, block)) {
      take(section, offset, file.path(), block.payload, &present, segment);
    }
  }
}

// `present`: the span in this section that effects belong to.
void CollectionHistory::take(const SectionScan& section, std::uint64_t offset,
                             const std::string& path, std::span<const std::byte> payload,
                             std::optional<std::size_t>* present, CollectedSegment& segment) {
  if (block_bytes_ + payload.size() > kMostBlockBytes) {
    report_.note_once({path, 0, "more than 64 MiB of COLLECTION blocks",
                       "later changes of what was collected are left out"});
    present->reset();
    return;
  }
  CollectionKind kind{};
  std::vector<RuleEffect> effects;
  CollectionState state;
  bool is_sound = parse_collection_kind(payload, kind);
  if (is_sound && kind == CollectionKind::kState) {
    is_sound = CollectionState::parse(payload, state);
    if (is_sound) {
      segment.spans.push_back(span_of(std::move(state), section.clocks));
      *present = segment.spans.size() - 1;
    }
  } else if (is_sound && kind == CollectionKind::kEffects) {
    is_sound = parse_rule_effects(payload, effects);
    for (RuleEffect& effect : effects) {
      if (!*present) break;
      segment.spans[**present].effects.try_emplace(effect.site_id, std::move(effect));
    }
  }
  if (is_sound) {
    block_bytes_ += payload.size();
    return;
  }
  ++report_.damaged_blocks;
  report_.damaged_bytes += payload.size();
  report_.note(
      {path, offset, "a COLLECTION block is shorter than its counts", "what it states is unknown"});
}

void CollectionHistory::finish() {
  for (CollectedSegment& segment : segments_) put_in_order(segment.spans);
}

const CollectedSegment* CollectionHistory::find(const std::array<std::uint8_t, 16>& uuid) const {
  const auto found = by_uuid_.find(uuid);
  return found == by_uuid_.end() ? nullptr : &segments_[found->second];
}

}  // namespace ringside::trace
