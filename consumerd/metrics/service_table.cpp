#include "consumerd/metrics/service_table.hpp"

#include <algorithm>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {

ServiceTable::Row* ServiceTable::enter(const std::string& service) {
  auto at = rows_.find(service);
  if (at == rows_.end() && (rows_.size() < most_ || make_room())) {
    at = rows_.try_emplace(service).first;
  }
  Row* const row = at != rows_.end() ? &at->second : &others_;
  others_used_ = others_used_ || row == &others_;
  ++row->processes_;
  return row;
}

bool ServiceTable::make_room() {
  auto oldest = rows_.end();
  for (auto at = rows_.begin(); at != rows_.end(); ++at) {
    if (at->second.processes_ != 0) continue;
    if (oldest == rows_.end() || at->second.ended_ < oldest->second.ended_) oldest = at;
  }
  if (oldest == rows_.end()) return false;
  rows_.erase(oldest);
  return true;
}

void ServiceTable::count(Row* row, const ServiceTotals& before, const ServiceTotals& now) {
  ServiceTotals& sum = row->totals_;
  sum.records += now.records - before.records;
  sum.ring_bytes += now.ring_bytes - before.ring_bytes;
  sum.trace_bytes += now.trace_bytes - before.trace_bytes;
  sum.sampled += now.sampled - before.sampled;
  sum.files_finished += now.files_finished - before.files_finished;
  sum.quarantined_rings += now.quarantined_rings - before.quarantined_rings;
  for (std::size_t i = 0; i < sum.lost.size(); ++i) {
    sum.lost[i] = saturating_sum(sum.lost[i], now.lost[i] - before.lost[i]);
  }
  sum.blocked_s += now.blocked_s - before.blocked_s;
  sum.calls.add_growth(before.calls, now.calls);
  sum.statements.add_growth(before.statements, now.statements);
}

void ServiceTable::leave(Row* row) {
  --row->processes_;
  row->ended_ = ++ends_;
}

void ServiceTable::clear_states() {
  for (auto& [service, row] : rows_) row.state_ = {};
  others_.state_ = {};
}

void ServiceTable::add_state(Row* row, const ServiceState& state) {
  ServiceState& sum = row->state_;
  sum.threads += state.threads;
  sum.ring_bytes = std::max(sum.ring_bytes, state.ring_bytes);
  sum.fill = std::max(sum.fill, state.fill);
  sum.peak = std::max(sum.peak, state.peak);
  sum.high_water = std::max(sum.high_water, state.high_water);
  sum.unwritten_bytes += state.unwritten_bytes;
  sum.stalled += state.stalled;
}

std::vector<ServiceRow> ServiceTable::rows() const {
  std::vector<ServiceRow> all;
  all.reserve(rows_.size() + 1);
  for (const auto& [service, row] : rows_) {
    all.push_back({service, row.totals_, row.state_, row.processes_});
  }
  if (others_used_) all.push_back({kOthers, others_.totals_, others_.state_, others_.processes_});
  return all;
}

}  // namespace ringside::consumer
