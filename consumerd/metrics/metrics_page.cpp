#include "consumerd/metrics/metrics_page.hpp"

#include <ctime>
#include <limits>
#include <sstream>
#include <utility>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

const char* cause_label(shm::LossCause cause) {
  switch (cause) {
    case shm::LossCause::kRingFull:
      return "ring_full";
    case shm::LossCause::kNoConsumer:
      return "no_consumer";
    case shm::LossCause::kNoRing:
      return "no_ring";
    case shm::LossCause::kNoSharedMemory:
      return "no_shared_memory";
    case shm::LossCause::kDictionaryFull:
      return "dictionary_full";
    case shm::LossCause::kQuarantined:
      return "quarantined";
    case shm::LossCause::kOverwritten:
      return "overwritten";
    case shm::LossCause::kTooLarge:
      return "too_large";
    case shm::LossCause::kAbandoned:
      return "abandoned";
    default:
      return "unknown";
  }
}

// Renders one family after the other: text takes a fraction of the memory.
class Page {
 public:
  void begin(MetricType type, const char* name, const char* help) {
    end();
    family_.name = name;
    family_.help = help;
    family_.type = type;
  }

  ClientMetric& add(std::vector<ClientMetric::Label> labels = {}) {
    ClientMetric& metric = family_.metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  void add(double value, std::vector<ClientMetric::Label> labels = {}) {
    ClientMetric& metric = add(std::move(labels));
    if (family_.type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
  }

  void one(MetricType type, const char* name, const char* help, double value) {
    begin(type, name, help);
    add(value);
  }

  std::string text() {
    end();
    return std::move(text_).str();
  }

 private:
  void end() {
    if (!family_.metric.empty()) prometheus::TextSerializer().Serialize(text_, {family_});
    family_.metric.clear();
  }

  std::ostringstream text_;
  MetricFamily family_;
};

constexpr auto kCounter = MetricType::Counter;
constexpr auto kGauge = MetricType::Gauge;

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// `counts`: values within each bound and above the bound before it, then values above all bounds.
template <std::size_t Bounds>
void fill_histogram(const std::array<double, Bounds>& bounds,
                    const std::array<std::uint64_t, Bounds + 1>& counts, double sum,
                    ClientMetric& metric) {
  auto& histogram = metric.histogram;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    histogram.sample_count = saturating_sum(histogram.sample_count, counts[i]);
    histogram.bucket.push_back(
        {histogram.sample_count, i < Bounds ? bounds[i] : std::numeric_limits<double>::infinity()});
  }
  histogram.sample_sum = sum;
}

void add_rounds(const RoundTimes& rounds, Page& page) {
  page.begin(MetricType::Histogram, "ringside_poll_round_duration_seconds",
             "Duration of one round over all rings, without the pauses between rounds.");
  fill_histogram(RoundTimes::kBoundsS, rounds.counts(), rounds.sum_s(), page.add());
}

void add_text(const TextCounts& of, Page& page) {
  page.one(kCounter, "ringside_text_bytes_total", "Bytes written to text files.", number(of.bytes));
  page.one(kCounter, "ringside_text_lines_total", "Lines written to text files.", number(of.lines));
  page.one(kCounter, "ringside_text_failures_total",
           "Failures to write, rename or remove a text file; each is retried.",
           number(of.failures));
  page.one(kGauge, "ringside_text_failing_services",
           "Services whose text cannot be written now; their trace is.",
           number(of.failing_services));
}

void add_consumer(const ConsumerFigures& of, double silent_s, Page& page) {
  page.begin(kGauge, "ringside_build_info",
             "The version of consumerd, as a label; the value is always 1.");
  page.add(1, {{"version", RINGSIDE_VERSION}});
  page.one(kGauge, "process_start_time_seconds",
           "Start time of consumerd, in seconds since the Unix epoch.", of.start_unix_s);
  page.one(kCounter, "process_cpu_seconds_total", "Processor time used by consumerd, in seconds.",
           processor_seconds());
  page.one(kGauge, "ringside_poll_heartbeat_age_seconds",
           "Age of these figures: the poll loop updates them every second.", silent_s);
  add_rounds(of.rounds, page);
  page.one(kGauge, "ringside_shared_memory_missing",
           "1 while the directory of the segments is missing, else 0.", of.directory_gone ? 1 : 0);
  page.one(kGauge, "ringside_segments", "Segments that are drained; each process has one.",
           number(of.segments));
  page.one(kGauge, "ringside_segments_waiting",
           "Segments that wait for their turn, because not all can be open at once.",
           number(of.segments_waiting));
  page.one(kCounter, "ringside_segments_adopted_total", "Segments that consumerd began to drain.",
           number(of.segments_adopted));
  page.one(kCounter, "ringside_segments_refused_total",
           "Reported failures to start draining a segment.", number(of.segments_refused));
  page.one(kGauge, "ringside_failed_recoveries",
           "Staging files of dead consumers that cannot be recovered.",
           number(of.failed_recoveries));
  page.one(kCounter, "ringside_written_bytes_total", "Bytes written to trace files.",
           number(of.bytes_written));
  page.one(kCounter, "ringside_write_failures_total",
           "Writes that failed; each is retried until it succeeds.", number(of.write_failures));
  page.one(kGauge, "ringside_failing_writes", "Writes that failed or hang, and wait for a retry.",
           number(of.failing_writes));
  page.one(kCounter, "ringside_unshipped_files_total",
           "Files whose records retention removed before they were shipped.",
           number(of.unshipped.files));
  page.one(kCounter, "ringside_unshipped_records_total",
           "Records that retention removed before they were shipped.",
           number(of.unshipped.records));
  page.one(kCounter, "ringside_syncs_total", "Syncs of trace files to the disk.", number(of.syncs));
  page.one(kCounter, "ringside_sync_failures_total",
           "Syncs of trace files that failed: records may be lost if the machine crashes.",
           number(of.sync_failures));
  page.one(kGauge, "ringside_staging_slots", "Staging buffers between rings and files.",
           number(of.slots));
  page.one(kGauge, "ringside_staging_slots_used", "Staging buffers in use.", number(of.slots_used));
  if (of.text) add_text(*of.text, page);
}

// Lists all configured triggers: a metric must exist before the trigger first fires.
void add_triggers(const std::map<std::string, TriggerCount>& triggers, Page& page) {
  const auto add = [&](MetricType type, const char* name, const char* help, auto number) {
    page.begin(type, name, help);
    for (const auto& [trigger, count] : triggers) page.add(number(count), {{"trigger", trigger}});
  };
  using Of = const TriggerCount&;
  add(kCounter, "ringside_trigger_fired_total", "Firings of the trigger.",
      [](Of of) { return number(of.fired); });
  add(kCounter, "ringside_trigger_held_back_total",
      "Firings of the trigger that its pause suppressed.",
      [](Of of) { return number(of.held_back); });
  add(kCounter, "ringside_trigger_hook_failures_total",
      "Hooks of the trigger that could not be run or did not exit with status 0.",
      [](Of of) { return number(of.hooks_failed); });
  add(kGauge, "ringside_trigger_last_fired_timestamp_seconds",
      "Time of the last firing, in seconds since the Unix epoch; 0 if none since consumerd "
      "started.",
      [](Of of) { return of.last_fired_unix_s; });
}

void add_sessions(const std::map<std::string, SessionCount>& sessions, Page& page) {
  const auto add = [&](const char* name, const char* help, auto number) {
    page.begin(kCounter, name, help);
    for (const auto& [session, count] : sessions) page.add(number(count), {{"session", session}});
  };
  using Of = const SessionCount&;
  add("ringside_session_records_total", "Records in the traces of the session.",
      [](Of of) { return number(of.records); });
  add("ringside_session_dropped_records_total",
      "Records that the session wanted and its buffers could not hold.",
      [](Of of) { return number(of.dropped); });
  add("ringside_session_written_bytes_total", "Bytes written to the session's files.",
      [](Of of) { return number(of.bytes); });
}

class ServicePage {
 public:
  ServicePage(const std::vector<ServiceRow>& services, Page& page)
      : services_(services), page_(page) {}

  // Adds one number per service.
  template <class Number>
  void add(MetricType type, const char* name, const char* help, Number number) {
    page_.begin(type, name, help);
    for (const ServiceRow& row : services_) {
      page_.add(static_cast<double>(number(row)), {{"service", row.service}});
    }
  }

  void add_call_times() {
    page_.begin(
        MetricType::Histogram, "ringside_log_call_duration_seconds",
        "Duration of the measured log calls; the service measures one in RINGSIDE_COST_SAMPLING.");
    for (const ServiceRow& row : services_) {
      const CallTimes& calls = row.totals.calls;
      if (!calls.measured) continue;
      fill_histogram(CallTimes::kBoundsS, calls.counts, calls.sum_s,
                     page_.add({{"service", row.service}}));
    }
  }

  // Only statements that have counted: most never do.
  template <class Number>
  void add_statements(const char* name, const char* help, Number number_of) {
    page_.begin(kCounter, name, help);
    for (const ServiceRow& row : services_) {
      for (const auto& [place, count] : row.totals.statements.by_place()) {
        const std::uint64_t executions = number_of(count);
        if (executions != 0) {
          page_.add(number(executions), {{"service", row.service}, {"site", place}});
        }
      }
    }
  }

  void add_losses() {
    page_.begin(kCounter, "ringside_lost_records_total",
                "Records lost since the service started, by cause.");
    for (const ServiceRow& row : services_) {
      for (std::size_t i = 0; i < row.totals.lost.size(); ++i) {
        const shm::LossCause cause = shm::kCountedCauses[i];
        if (!shm::is_lost(cause)) continue;
        page_.add(number(row.totals.lost[i]),
                  {{"service", row.service}, {"cause", cause_label(cause)}});
      }
    }
  }

 private:
  const std::vector<ServiceRow>& services_;
  Page& page_;
};

void add_totals(ServicePage page) {
  using Of = const ServiceRow&;
  page.add(kCounter, "ringside_records_total", "Records drained from the service's rings and kept.",
           [](Of of) { return of.totals.records; });
  page.add(kCounter, "ringside_sampled_records_total", "Records that a sampling rule discarded.",
           [](Of of) { return of.totals.sampled; });
  page.add(kCounter, "ringside_ring_bytes_total",
           "Bytes that drained records, kept or discarded, took in the rings.",
           [](Of of) { return of.totals.ring_bytes; });
  page.add(kCounter, "ringside_trace_bytes_total",
           "Bytes of trace written from these records, before packing.",
           [](Of of) { return of.totals.trace_bytes; });
  page.add_losses();
  page.add(kCounter, "ringside_cut_records_total",
           "Records whose strings were truncated because they were too large.",
           [](Of of) { return of.totals.lost[shm::counter_of(shm::LossCause::kTooLarge)]; });
  page.add(kCounter, "ringside_blocked_seconds_total",
           "Total time that the service's threads waited for space in their rings.",
           [](Of of) { return of.totals.blocked_s; });
  page.add_call_times();
  page.add_statements("ringside_statement_executions_total",
                      "Executions of the statement that were counted instead of recorded.",
                      [](const StatementCount& of) { return of.counted; });
  page.add_statements("ringside_statement_suppressed_total",
                      "Executions that the statement suppressed by a condition or a rate.",
                      [](const StatementCount& of) { return of.suppressed; });
  page.add(kCounter, "ringside_quarantined_rings_total",
           "Rings quarantined because their contents were invalid.",
           [](Of of) { return of.totals.quarantined_rings; });
  page.add(kCounter, "ringside_trace_files_finished_total",
           "Trace files of the service that were finished.",
           [](Of of) { return of.totals.files_finished; });
}

void add_states(ServicePage page) {
  using Of = const ServiceRow&;
  page.add(kGauge, "ringside_processes", "Processes of the service that are drained.",
           [](Of of) { return of.processes; });
  page.add(kGauge, "ringside_threads", "Threads of the service that have a ring.",
           [](Of of) { return of.state.threads; });
  page.add(kGauge, "ringside_ring_size_bytes", "The size of each ring.",
           [](Of of) { return of.state.ring_bytes; });
  page.add(kGauge, "ringside_ring_fill_ratio", "Fill of the fullest ring, from 0 to 1.",
           [](Of of) { return of.state.fill; });
  page.add(kGauge, "ringside_ring_peak_ratio",
           "Highest fill of a ring in the last minute, from 0 to 1.",
           [](Of of) { return of.state.peak; });
  page.add(
      kGauge, "ringside_ring_high_water_ratio",
      "Highest fill of a ring since its thread took it, from 0 to 1; threads that still run only.",
      [](Of of) { return of.state.high_water; });
  page.add(kGauge, "ringside_unwritten_bytes", "Bytes recorded but not yet written to a file.",
           [](Of of) { return of.state.unwritten_bytes; });
  page.add(kGauge, "ringside_stalled_processes",
           "Processes of the service whose trace cannot be written.",
           [](Of of) { return of.state.stalled; });
}

}  // namespace

std::string metrics_page(const MetricsSnapshot& snapshot, double silent_s) {
  Page page;
  add_consumer(snapshot.consumer, silent_s, page);
  add_triggers(snapshot.consumer.triggers, page);
  add_sessions(snapshot.consumer.sessions, page);
  const ServicePage of_services(snapshot.services, page);
  add_totals(of_services);
  add_states(of_services);
  return page.text();
}

}  // namespace ringside::consumer
