#include "tools/query/stats_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shm-layout/level.hpp"
#include "tools/query/call_cost_report.hpp"
#include "tools/query/clock_report.hpp"
#include "tools/text/first_bytes.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/lines/visible_text.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTextBytes = 60;

// For a terminal: characters that are not printable are shown by number, and long texts are cut.
std::string shown(std::string_view text) {
  std::string out;
  for (const char character : trace::visible(text)) {
    const bool continues = (static_cast<unsigned char>(character) & 0xC0) == 0x80;
    if (out.size() >= kMostTextBytes && !continues) return out + "...";
    if (character == '\t') {
      out += "\\x09";
    } else {
      out += character;
    }
  }
  return out;
}

// The causes that cost records, or the others.
std::string causes_text(const LossTally& counts, bool lost) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (counts[i] == 0 || shm::is_lost(cause) != lost) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                        trace::loss_cause_text(cause).name);
  }
  return text;
}

// "  lost: 3 ring full; 1 late"
std::string remark(const Tally& tally) {
  const std::string lost = causes_text(tally.by_cause, true);
  const std::string impaired = causes_text(tally.by_cause, false);
  std::string text;
  if (!lost.empty()) text += "  lost: " + lost;
  if (!impaired.empty()) text += (lost.empty() ? "  " : "; ") + impaired;
  return text;
}

std::string time_text(std::uint64_t unix_ns, bool utc) {
  trace::TextSink sink;
  trace::WallClockText(utc).append(sink, unix_ns);
  std::string text(sink.text());
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

double per_second(std::uint64_t count, std::uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(ns);
}

std::string level_text(std::uint8_t level) {
  return std::string(shm::level_name(static_cast<shm::Level>(level)));
}

json tally_json(const Tally& tally) {
  json object{{"records", tally.records}, {"ring_bytes", tally.ring_bytes}, {"lost", tally.lost}};
  for (std::size_t i = 0; i < tally.by_cause.size(); ++i) {
    if (tally.by_cause[i] == 0) continue;
    const auto cause = static_cast<trace::LossCause>(i);
    const std::string key(trace::loss_cause_token(cause));
    if (shm::is_lost(cause)) {
      object["lost_by_cause"][key] = tally.by_cause[i];
    } else {
      object[key] = tally.by_cause[i];
    }
  }
  return object;
}

bool has_losses(const Tally& tally) {
  return std::any_of(tally.by_cause.begin(), tally.by_cause.end(),
                     [](std::uint64_t records) { return records != 0; });
}

// As options.lost_only wants them.
template <class Stats>
std::vector<const Stats*> shown_ones(std::vector<const Stats*> all,
                                     const StatsReportOptions& options) {
  if (!options.lost_only) return all;
  std::erase_if(all, [](const Stats* one) { return !has_losses(*one); });
  std::stable_sort(all.begin(), all.end(),
                   [](const Stats* a, const Stats* b) { return a->lost > b->lost; });
  return all;
}

// Up to options.most_rows. How many are left out is counted in the document.
template <class Stats>
std::vector<const Stats*> bounded_ones(std::vector<const Stats*> all,
                                       const StatsReportOptions& options, const char* name,
                                       json& document) {
  all = shown_ones(std::move(all), options);
  if (options.most_rows == 0 || all.size() <= options.most_rows) return all;
  if (!options.lost_only) {
    std::stable_sort(all.begin(), all.end(), [](const Stats* a, const Stats* b) {
      return a->records + a->lost > b->records + b->lost;
    });
  }
  document["left_out"][name] = all.size() - options.most_rows;
  all.resize(options.most_rows);
  return all;
}

void add_total(std::string& out, const TraceStats& stats, const trace::ReadReport& read, bool utc) {
  const Tally& total = stats.total();
  out += fmt::format("{} records, {} bytes in the rings, {} lost", total.records, total.ring_bytes,
                     total.lost);
  const std::string causes = causes_text(total.by_cause, true);
  if (!causes.empty()) out += fmt::format(" ({})", causes);
  const std::string impaired = causes_text(total.by_cause, false);
  if (!impaired.empty()) out += ", " + impaired;
  out += fmt::format("\n{} files, {} sections, {} extents, {} bytes read\n", read.files,
                     read.sections, read.extents, read.bytes_read);
  if (total.records == 0) return;
  const std::uint64_t span = stats.last_ns() - stats.first_ns();
  out += fmt::format("from {} to {}: {:.6f} s", time_text(stats.first_ns(), utc),
                     time_text(stats.last_ns(), utc), static_cast<double>(span) / 1e9);
  if (span != 0) out += fmt::format(", {:.0f} records per second", per_second(total.records, span));
  out += '\n';
}

void add_streams(std::string& out, const TraceStats& stats, const StatsReportOptions& options) {
  out += fmt::format("\n{:>12} {:>14} {:>10}  {}\n", "records", "ring bytes", "lost", "stream");
  for (const StreamStats* stream : shown_ones(stats.streams(), options)) {
    const std::string thread = stream->stream_id == 0 ? "threads without a ring"
                                                      : fmt::format("[{} {}]", stream->thread_id,
                                                                    shown(stream->thread_name));
    out += fmt::format("{:>12} {:>14} {:>10}  {} {} {}{}\n", stream->records, stream->ring_bytes,
                       stream->lost, shown(stream->service), stream->pid, thread, remark(*stream));
  }
}

void add_sites(std::string& out, const TraceStats& stats, const StatsReportOptions& options) {
  const std::vector<const SiteStats*> sites = shown_ones(stats.sites(), options);
  const std::size_t top = options.top;
  const std::size_t shown_sites = top == 0 ? sites.size() : std::min(top, sites.size());
  out += fmt::format("\n{:>12} {:>14} {:>6} {:>10}  {}\n", "records", "ring bytes", "%", "lost",
                     "statement");
  for (std::size_t i = 0; i < shown_sites; ++i) {
    const SiteStats& site = *sites[i];
    const std::string statement = site.file.empty() && site.text.empty()
                                      ? "statements without an id"
                                      : fmt::format("{}:{} {} {}", shown(site.file), site.line,
                                                    level_text(site.level), shown(site.text));
    out += fmt::format("{:>12} {:>14} {:>6.2f} {:>10}  {}{}\n", site.records, site.ring_bytes,
                       100.0 * static_cast<double>(site.records) /
                           static_cast<double>(std::max<std::uint64_t>(stats.total().records, 1)),
                       site.lost, statement, remark(site));
  }
  if (shown_sites < sites.size()) {
    out += fmt::format("{:>34}  {} further statements (--top 0 shows all)\n", "",
                       sites.size() - shown_sites);
  }
}

void add_intervals(std::string& out, const TraceStats& stats, const StatsReportOptions& options) {
  out +=
      fmt::format("\n{:>12} {:>14} {:>10}  {}\n", "records", "ring bytes", "lost", "interval from");
  for (const auto& [begin_ns, tally] : stats.intervals()) {
    if (options.lost_only && !has_losses(tally)) continue;
    out += fmt::format("{:>12} {:>14} {:>10}  {}{}\n", tally.records, tally.ring_bytes, tally.lost,
                       time_text(begin_ns, options.utc), remark(tally));
  }
}

void add_intervals_json(json& document, const TraceStats& stats,
                        const StatsReportOptions& options) {
  document["interval_ns"] = options.interval_ns;
  json& intervals = document["intervals"] = json::array();
  std::uint64_t left_out = 0;
  for (const auto& [begin_ns, tally] : stats.intervals()) {
    if (options.lost_only && !has_losses(tally)) continue;
    if (options.most_rows != 0 && intervals.size() == options.most_rows) {
      ++left_out;
      continue;
    }
    json one = tally_json(tally);
    one["from_unix_ns"] = begin_ns;
    intervals.push_back(std::move(one));
  }
  if (left_out != 0) document["left_out"]["intervals"] = left_out;
}

}  // namespace

std::string stats_as_tables(const TraceStats& stats, const trace::ReadReport& read,
                            const StatsReportOptions& options) {
  std::string out;
  add_total(out, stats, read, options.utc);
  add_streams(out, stats, options);
  add_sites(out, stats, options);
  out += call_costs_as_table(measured_services(read.call_costs, stats));
  out += clocks_as_table(read.host_clocks);
  if (options.interval_ns != 0) add_intervals(out, stats, options);
  return out;
}

std::string stats_as_json(const TraceStats& stats, const trace::ReadReport& read,
                          const StatsReportOptions& options) {
  json document = tally_json(stats.total());
  document["files"] = read.files;
  document["sections"] = read.sections;
  document["extents"] = read.extents;
  document["bytes_read"] = read.bytes_read;
  document["late_records"] = read.late_records;
  document["damaged_bytes"] = read.damaged_bytes;
  if (stats.total().records != 0) {
    document["first_unix_ns"] = stats.first_ns();
    document["last_unix_ns"] = stats.last_ns();
  }
  document["hosts"] = clocks_as_json(read.host_clocks);
  auto measured = measured_services(read.call_costs, stats);
  if (options.most_rows != 0 && measured.size() > options.most_rows) {
    document["left_out"]["call_costs"] = measured.size() - options.most_rows;
    measured.resize(options.most_rows);
  }
  if (!measured.empty()) document["call_costs"] = call_costs_as_json(measured);
  const auto bounded = [&options](const std::string& text) {
    return options.most_rows == 0 ? text : std::string(first_bytes(text, kMostTextInJson));
  };
  document["streams"] = json::array();
  for (const StreamStats* stream : bounded_ones(stats.streams(), options, "streams", document)) {
    json one = tally_json(*stream);
    one["service"] = bounded(stream->service);
    one["pid"] = stream->pid;
    if (stream->stream_id != 0) {
      one["thread_id"] = stream->thread_id;
      one["thread_name"] = bounded(stream->thread_name);
    }
    document["streams"].push_back(std::move(one));
  }
  document["sites"] = json::array();
  for (const SiteStats* site : bounded_ones(stats.sites(), options, "sites", document)) {
    json one = tally_json(*site);
    one["service"] = bounded(site->service);
    one["file"] = bounded(site->file);
    one["line"] = site->line;
    one["level"] = level_text(site->level);
    one["text"] = bounded(site->text);
    document["sites"].push_back(std::move(one));
  }
  if (options.interval_ns != 0) add_intervals_json(document, stats, options);
  // Names come from services and need not be UTF-8.
  return document.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
}

}  // namespace ringside::tool
