#include "tools/ringstat/status_json.hpp"

#include <ctime>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/level.hpp"
#include "shm-layout/site_switch.hpp"
#include "tools/live/loss_causes.hpp"
#include "tools/ringstat/segment_watch.hpp"
#include "tools/ringstat/session_view.hpp"
#include "tools/text/call_cost_json.hpp"
#include "tools/text/policy_name.hpp"

namespace ringside::tool {
namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json losses_json(const std::vector<LossCount>& losses) {
  Json object = Json::object();
  for (const LossCount& loss : losses) object[std::string(loss.name)] = loss.count;
  return object;
}

// Null if no calls are measured.
Json costs_json(const shm::CallCostCounts& costs, const SegmentStatus& segment) {
  if (segment.cost_sampling == 0) return {};
  const auto ns = [&segment](double ticks) { return shm::cost_ns(ticks, segment.tick_hz); };
  Json object = call_cost_json(costs, segment.cost_sampling, segment.tick_hz);
  object["buckets"] = Json::array();
  for (std::size_t i = 0; i < costs.count.size(); ++i) {
    if (costs.count[i] == 0) continue;
    object["buckets"].push_back({{"from_ns", ns(static_cast<double>(shm::cost_bucket_begin(i)))},
                                 {"to_ns", ns(static_cast<double>(shm::cost_bucket_begin(i + 1)))},
                                 {"calls", costs.count[i]}});
  }
  return object;
}

Json thread_json(const ThreadView& view, const SegmentStatus& segment) {
  const RingStatus& ring = view.now;
  Json object;
  object["ring"] = ring.ring;
  object["stream"] = ring.stream_id;
  object["thread"] = {{"id", ring.thread_id}, {"name", ring.thread_name}};
  object["running"] = ring.active();
  object["fill_bytes"] = ring.fill_bytes;
  object["high_water_bytes"] = view.high_water_bytes;
  object["records_per_s"] = view.records_per_s;
  object["bytes_per_s"] = view.bytes_per_s;
  object["burst_bytes_per_s"] = view.burst_bytes_per_s;
  object["lost_per_s"] = view.drops_per_s;
  object["overflow_s"] = optional_number(view.overflow_s);
  object["blocked_share"] = view.blocked_share;
  object["blocked_count"] = ring.blocked_count;
  object["cut_records"] = ring.cut_records;
  object["quarantined"] = ring.quarantine != 0;
  object["lost"] = ring.dropped;
  object["lost_by_cause"] = losses_json(loss_causes(ring));
  object["recommended_ring_bytes"] = view.recommended_ring_bytes;
  object["call_cost"] = costs_json(ring.call_costs, segment);
  return object;
}

Json statement_json(const StatementView& view) {
  const ListedStatement& statement = view.statement;
  Json object;
  object["site"] = statement.id;
  object["level"] = shm::level_name(statement.level);
  object["category"] = statement.category;
  object["file"] = statement.file;
  object["line"] = statement.line;
  object["function"] = statement.function;
  object["text"] = statement.format;
  object["enabled"] = view.enabled;
  object["counting"] = view.counting;
  object["records_per_s"] = view.records_per_s;
  object["bytes_per_s"] = view.bytes_per_s;
  object["share"] = view.share;
  object["lost"] = view.lost;
  object["executions"] = {{"counted", view.counted}, {"suppressed", view.suppressed}};
  return object;
}

Json service_json(const ServiceView& view) {
  const SegmentStatus& now = view.now;
  Json object;
  object["service"] = now.service;
  object["pid"] = now.pid;
  object["uid"] = now.uid;
  object["exe"] = now.exe;
  object["host"] = now.host;
  object["segment"] = now.path;
  object["alive"] = now.alive;
  object["policy"] = policy_name(now.policy);
  object["block_timeout_ms"] = now.block_timeout_ms;
  object["level"] = shm::level_name(static_cast<shm::Level>(shm::level_meanwhile(now.level_word)));
  object["ring_bytes"] = now.ring_bytes;
  object["ring_count"] = now.ring_count;
  object["memory_bytes"] = now.memory_bytes;
  object["consumer"] = {{"health", health_name(now.consumer)},
                        {"pid", now.consumer_pid},
                        {"session", now.consumer_session},
                        {"heartbeat_age_ns", now.heartbeat_age_ns}};
  object["records_per_s"] = view.records_per_s;
  object["bytes_per_s"] = view.bytes_per_s;
  object["lost_per_s"] = view.drops_per_s;
  object["fullest_permille"] = view.fullest_permille;
  object["high_water_permille"] = view.high_water_permille;
  object["overflow_s"] = optional_number(view.overflow_s);
  object["unwritten_bytes"] = view.unwritten_bytes;
  object["recommended_ring_bytes"] = view.recommended_ring_bytes;
  object["lost"] = now.lost();
  object["lost_by_cause"] = losses_json(loss_causes(now));
  object["call_cost"] = costs_json(now.call_costs, now);
  object["threads"] = Json::array();
  for (const ThreadView& thread : view.threads) {
    object["threads"].push_back(thread_json(thread, now));
  }
  object["statements"] = Json::array();
  for (const StatementView& statement : view.statements) {
    object["statements"].push_back(statement_json(statement));
  }
  if (!view.trouble.empty()) object["trouble"] = view.trouble;
  return object;
}

}  // namespace

Json status_json(const std::vector<ServiceView>& services, const std::vector<SessionView>& sessions,
                 const std::vector<std::string>& troubles, std::uint64_t interval_ns) {
  Json object;
  object["version"] = 1;
  object["unix_ns"] = shm::read_clock_ns(CLOCK_REALTIME);
  object["interval_ns"] = interval_ns;
  object["services"] = Json::array();
  for (const ServiceView& service : services) object["services"].push_back(service_json(service));
  object["sessions"] = sessions_json(sessions);
  object["troubles"] = troubles;
  return object;
}

}  // namespace ringside::tool
