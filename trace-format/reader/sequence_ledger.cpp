#include "trace-format/reader/sequence_ledger.hpp"

#include <algorithm>

namespace ringside::trace {

std::size_t SequenceLedger::add_section() {
  parts_.emplace_back();
  return parts_.size() - 1;
}

void SequenceLedger::begin_inside(std::size_t section) {
  parts_[section].inside = true;
}

SequenceGap SequenceLedger::expect(std::size_t section, std::uint64_t stream_id,
                                   std::uint64_t sequence, std::uint64_t tsc) {
  Part& part = parts_[section];
  const auto [it, is_new] = part.next.try_emplace(stream_id, sequence);
  if (is_new && !part.inside) {
    if (settled_ < section) {
      part.unchecked.emplace(stream_id, First{sequence, tsc});
    } else if (const auto known = known_.find(stream_id); known != known_.end()) {
      it->second = std::min(known->second, sequence);
    }
  }
  if (sequence <= it->second) return {};
  const SequenceGap gap{tsc, stream_id, it->second, sequence - it->second};
  it->second = sequence;
  return gap;
}

void SequenceLedger::seen(std::size_t section, std::uint64_t stream_id,
                          std::uint64_t next_sequence) {
  std::uint64_t& next = parts_[section].next[stream_id];
  next = std::max(next, next_sequence);
}

std::vector<SequenceGap> SequenceLedger::close(std::size_t section, bool to_its_end) {
  parts_[section].closed = true;
  parts_[section].to_its_end = to_its_end;
  std::vector<SequenceGap> gaps;
  while (settled_ < parts_.size() && parts_[settled_].closed) {
    Part& part = parts_[settled_];
    settle(part, gaps);
    if (part.inside) known_.clear();
    for (const auto& [stream_id, next] : part.next) {
      std::uint64_t& known = known_[stream_id];
      known = std::max(known, next);
    }
    if (!part.to_its_end) known_.clear();
    part.next = {};
    ++settled_;
  }
  if (settled_ < parts_.size()) settle(parts_[settled_], gaps);
  return gaps;
}

// All sections before `part` are settled.
void SequenceLedger::settle(Part& part, std::vector<SequenceGap>& gaps) {
  for (const auto& [stream_id, first] : part.unchecked) {
    const auto known = known_.find(stream_id);
    if (known == known_.end() || known->second >= first.sequence) continue;
    gaps.push_back({first.tsc, stream_id, known->second, first.sequence - known->second});
  }
  part.unchecked = {};
}

}  // namespace ringside::trace
