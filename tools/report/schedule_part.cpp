#include "tools/report/schedule_part.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/interop/event_facts.hpp"
#include "tools/report/drawn_json.hpp"
#include "tools/report/halved.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

// The fields of a run. A file of any origin can have a statement of this name.
constexpr std::size_t kProcessor = 0;
constexpr std::size_t kThen = 1;
constexpr std::int64_t kMostThen = 3;

bool is_run_site(const trace::Site& site) {
  return site.category == "ringside.sched" && site.name == "thread ran" &&
         site.fields.size() == 2 && site.fields[kProcessor].type == shm::FieldType::u32 &&
         site.fields[kThen].type == shm::FieldType::enumeration &&
         !site.fields[kProcessor].is_constant() && !site.fields[kThen].is_constant();
}

}  // namespace

bool SchedulePart::is_known_run(const trace::Event& event, const TraceStats::Place& place) {
  if (event.kind != trace::EventKind::kRecord || place.site == nullptr || place.stream == nullptr)
    return false;
  const std::uint32_t number = place.site->number;
  if (number >= sites_.size()) [[unlikely]]
    sites_.resize(std::size_t{number} + 1, Known::kNotAsked);
  Known& known = sites_[number];
  if (known == Known::kNotAsked) [[unlikely]]
    known = is_run_site(*event.record.site) ? Known::kYes : Known::kNo;
  // Statements of one text can have different fields.
  return known == Known::kYes && has_duration(event) && is_run_site(*event.record.site);
}

SchedulePart::Thread* SchedulePart::thread_of(const StreamStats& stream) {
  if (stream.number >= by_stream_.size()) by_stream_.resize(std::size_t{stream.number} + 1);
  Thread*& known = by_stream_[stream.number];
  if (known != nullptr) return known;
  const auto [place, is_new] =
      threads_.try_emplace(Key(stream.service, stream.pid, stream.thread_id), nullptr);
  if (is_new && all_.size() >= kMostThreads) {
    threads_.erase(place);
    return nullptr;
  }
  if (is_new) {
    all_.push_back(std::make_unique<Thread>());
    place->second = all_.back().get();
    place->second->number = static_cast<std::uint32_t>(all_.size() - 1);
    place->second->stream = stream.number;
  }
  return known = place->second;
}

void SchedulePart::add(const ReportEvent& event) {
  ++runs_;
  Thread* const thread = thread_of(*event.place.stream);
  if (thread == nullptr) {
    ++further_runs_;
    return;
  }
  if (thread->stream != event.place.stream->number) {
    thread->stream = event.place.stream->number;
    ++thread->next;
  }
  const auto& values = event.event.record.args;
  const std::int64_t then = values[kThen].i64;
  const std::uint64_t begin_ns = event.event.unix_ns;
  const std::uint64_t end_ns = span_end_ns(event.event);
  const DrawnSpan run{
      .begin_ns = begin_ns,
      .duration_ns = end_ns - begin_ns,
      .number = thread->next++,
      .track = thread->number,
      .statement = then < 0 || then > kMostThen ? 0U : static_cast<std::uint32_t>(then),
      .row = static_cast<std::uint32_t>(values[kProcessor].u64)};
  ++thread->runs;
  end_ns_ = std::max(end_ns_, end_ns);
  thread->busy.add(event.grid, begin_ns, end_ns);
  thread->counts.add(event.grid, event.interval, 1);
  longest_.add(run);
  thread->sampled.add(event.grid, event.interval, run, limits_);
  while (limits_.items > limits_.most_items) [[unlikely]] {
      limits_.tighten();
      for (const auto& each : all_) each->sampled.trim(limits_);
    }
}

json SchedulePart::thread_json(Thread& thread, const DrawnSpan* first, const DrawnSpan* end,
                               const TimeGrid& grid) {
  DeltaTimes begins(grid);
  json durations = json::array();
  json processors = json::array();
  json thens = json::array();
  json skipped = json::array();
  std::uint64_t next = 0;
  for (const DrawnSpan* run = first; run != end; ++run) {
    begins.add(run->begin_ns);
    durations.push_back(run->duration_ns);
    processors.push_back(run->row);
    thens.push_back(run->statement);
    skipped.push_back(run->number - next);
    next = run->number + 1;
  }
  json one{{"stream", thread.stream},
           {"number", thread.runs},
           {"begin", begins.take()},
           {"duration", std::move(durations)},
           {"processor", std::move(processors)},
           {"then", std::move(thens)},
           {"skipped", std::move(skipped)}};
  if (static_cast<std::uint64_t>(end - first) < thread.runs) {
    one["over_time"] = pairs_json(thread.counts, grid);
    one["busy"] = pairs_json(thread.busy.counts(), grid);
    one["complete"] = complete_json(thread.sampled.runs(grid, limits_), grid);
  }
  return one;
}

json SchedulePart::document(const TimeGrid& grid, unsigned level) {
  if (level != 0) {
    longest_.reduce(halved(kMostRuns, level));
    limits_.reduce(halved(kMostSampledRuns, level), [this] {
      for (const auto& each : all_) each->sampled.trim(limits_);
    });
  }
  // Those with the most runs are shown.
  std::vector<std::uint32_t> order;
  for (const auto& thread : all_) order.push_back(thread->number);
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return all_[a]->runs > all_[b]->runs;
  });
  std::vector<bool> is_shown(all_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    is_shown[order[i]] = i < halved(kMostThreads, level);
  std::vector<DrawnSpan> runs = longest_.spans();
  if (runs.size() < runs_) {
    for (const auto& thread : all_) {
      for (const auto& run : thread->sampled.runs(grid, limits_))
        runs.insert(runs.end(), run.items.begin(), run.items.end());
    }
  }
  const auto key = [](const DrawnSpan& run) { return std::tuple(run.track, run.number); };
  std::sort(runs.begin(), runs.end(),
            [&](const DrawnSpan& a, const DrawnSpan& b) { return key(a) < key(b); });
  runs.erase(std::unique(runs.begin(), runs.end(),
                         [&](const auto& a, const auto& b) { return key(a) == key(b); }),
             runs.end());
  json threads = json::array();
  std::uint64_t drawn = 0;
  std::uint64_t further = further_runs_;
  const DrawnSpan* at = runs.data();
  const DrawnSpan* const end = at + runs.size();
  for (const auto& thread : all_) {
    thread->busy.end_at(grid, end_ns_);
    const DrawnSpan* const first = at;
    while (at != end && at->track == thread->number) ++at;
    if (!is_shown[thread->number]) {
      further += thread->runs;
      continue;
    }
    drawn += static_cast<std::uint64_t>(at - first);
    threads.push_back(thread_json(*thread, first, at, grid));
  }
  return {{"end", document_ns(std::max(end_ns_, grid.begin_ns()), grid)},
          {"runs", runs_},
          {"drawn_runs", drawn},
          {"further_runs", further},
          {"least_duration_ns", longest_.least_ns()},
          {"threads", std::move(threads)}};
}

}  // namespace ringside::tool
