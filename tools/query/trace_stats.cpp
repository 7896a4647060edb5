#include "tools/query/trace_stats.hpp"

#include <algorithm>
#include <functional>

#include "shm-layout/field_type.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside::tool {
namespace {

constexpr std::uint64_t kHeadBytes = 8;
constexpr std::uint64_t kLengthBytes = 4;  // before a text or an array

// Beyond this number the shortcuts are discarded: many files have many sections.
constexpr std::size_t kMostSeen = 65'536;

// The counts of one record.
struct Counted {
  std::uint64_t ring_bytes = 0;
  bool is_cut = false;
  bool is_late = false;
};

void count(Tally& tally, const Counted& record) {
  ++tally.records;
  tally.ring_bytes += record.ring_bytes;
  if (record.is_cut) ++tally.by_cause[static_cast<std::size_t>(trace::LossCause::kTooLarge)];
  if (record.is_late) ++tally.by_cause[static_cast<std::size_t>(trace::LossCause::kLate)];
}

void count_loss(Tally& tally, const trace::Event& loss) {
  tally.lost += loss.lost;
  tally.by_cause[std::min(static_cast<std::size_t>(loss.cause), tally.by_cause.size() - 1)] +=
      loss.lost;
}

}  // namespace

std::uint64_t ring_bytes_of(const trace::Record& record) {
  std::uint64_t bytes = kHeadBytes;
  const std::vector<trace::Field>& fields = record.site->fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].is_constant()) continue;
    const trace::Value& value = record.args[i];
    bytes += shm::is_variable_length(value.type) ? kLengthBytes + value.text.size()
                                                 : shm::fixed_size(value.type);
  }
  return bytes;
}

std::size_t TraceStats::SeenHash::operator()(const Seen& seen) const {
  return (std::hash<const void*>()(seen.address) ^ (std::size_t{seen.section} << 48)) *
         std::size_t{0x9E3779B97F4A7C15};
}

template <class Stats>
template <class Find>
Stats& TraceStats::Shortcuts<Stats>::of(const Seen& seen, Find&& find) {
  Recent& recent = recent_[SeenHash()(seen) >> (64 - kRecentBits)];
  if (recent.stats != nullptr && recent.seen == seen) return *recent.stats;
  if (known_.size() > kMostSeen) known_.clear();
  const auto [place, is_new] = known_.try_emplace(seen, nullptr);
  if (is_new) place->second = &find();
  recent = {seen, place->second};
  return *place->second;
}

TraceStats::Place TraceStats::add(const trace::Event& event) {
  if (event.kind == trace::EventKind::kSiteLoss) {
    SiteStats& site = site_of(event);
    // Cut records are counted in their stream. No stream reports records that sampling left out.
    if (event.cause == trace::LossCause::kSampled) {
      constexpr auto kSampled = static_cast<std::size_t>(trace::LossCause::kSampled);
      site.by_cause[kSampled] += event.lost;
      total_.by_cause[kSampled] += event.lost;
    } else if (shm::is_lost(event.cause)) {
      count_loss(site, event);
    }
    return {nullptr, &site};
  }
  StreamStats& stream = stream_of(event);
  if (event.kind == trace::EventKind::kLoss) {
    count_loss(total_, event);
    count_loss(stream, event);
    if (interval_ns_ != 0) count_loss(interval_of(event.unix_ns), event);
    return {&stream, nullptr};
  }
  SiteStats& site = site_of(event);
  const Counted record{ring_bytes_of(event.record), (event.record.ext_flags & shm::kExtCut) != 0,
                       event.unix_ns < last_ns_ && trace::counts_as_late(event)};
  first_ns_ = std::min(first_ns_, event.unix_ns);
  last_ns_ = std::max(last_ns_, event.unix_ns);
  count(total_, record);
  count(stream, record);
  count(site, record);
  if (interval_ns_ != 0) count(interval_of(event.unix_ns), record);
  return {&stream, &site};
}

StreamStats& TraceStats::find_stream(const trace::Event& event) {
  const auto number = static_cast<std::uint32_t>(streams_.size());
  const auto [place, is_new] =
      streams_.try_emplace(StreamKey(event.segment->uuid, event.stream->id));
  StreamStats& stream = place->second;
  if (is_new) stream.number = number;
  stream.stream_id = event.stream->id;
  stream.service = event.segment->service;
  stream.pid = event.segment->pid;
  return stream;
}

StreamStats& TraceStats::stream_of(const trace::Event& event) {
  StreamStats& stream = seen_streams_.of({event.stream, event.section},
                                         [&]() -> StreamStats& { return find_stream(event); });
  // A thread may get its name after its first records.
  if (stream.thread_id != event.stream->thread_id ||
      stream.thread_name != event.stream->thread_name) {
    stream.thread_id = event.stream->thread_id;
    stream.thread_name = event.stream->thread_name;
  }
  return stream;
}

SiteStats& TraceStats::find_site(const trace::Event& event) {
  const trace::Site& site = *event.record.site;
  const std::string& text = site.format.empty() ? site.name : site.format;
  const auto number = static_cast<std::uint32_t>(sites_.size());
  const auto [place, is_new] =
      sites_.try_emplace(SiteKey(event.segment->service, site.file, site.line, text));
  SiteStats& stats = place->second;
  if (is_new) stats.number = number;
  stats.service = event.segment->service;
  stats.file = site.file;
  stats.line = site.line;
  stats.level = static_cast<std::uint8_t>(site.level);
  stats.text = text;
  return stats;
}

SiteStats& TraceStats::site_of(const trace::Event& event) {
  if (event.record.site == nullptr) {
    const auto number = static_cast<std::uint32_t>(sites_.size());
    const auto [place, is_new] = sites_.try_emplace(SiteKey(event.segment->service, "", 0, ""));
    if (is_new) place->second.number = number;
    place->second.service = event.segment->service;
    return place->second;
  }
  return seen_sites_.of({event.record.site, event.section},
                        [&]() -> SiteStats& { return find_site(event); });
}

Tally& TraceStats::interval_of(std::uint64_t unix_ns) {
  const std::uint64_t begin = unix_ns - unix_ns % interval_ns_;
  if (interval_ == nullptr || begin != interval_begin_) {
    interval_ = &intervals_[begin];
    interval_begin_ = begin;
  }
  return *interval_;
}

std::vector<const StreamStats*> TraceStats::streams() const {
  std::vector<const StreamStats*> all;
  for (const auto& [key, stream] : streams_) all.push_back(&stream);
  std::stable_sort(all.begin(), all.end(), [](const StreamStats* a, const StreamStats* b) {
    return std::tie(a->service, a->pid, a->thread_id) < std::tie(b->service, b->pid, b->thread_id);
  });
  return all;
}

std::vector<const SiteStats*> TraceStats::sites() const {
  std::vector<const SiteStats*> all;
  for (const auto& [key, site] : sites_) all.push_back(&site);
  std::stable_sort(all.begin(), all.end(), [](const SiteStats* a, const SiteStats* b) {
    return a->records + a->lost > b->records + b->lost;
  });
  return all;
}

}  // namespace ringside::tool
