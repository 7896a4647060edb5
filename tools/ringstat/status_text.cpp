#include "tools/ringstat/status_text.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "tools/live/loss_causes.hpp"
#include "tools/ringstat/call_cost_text.hpp"
#include "tools/ringstat/quantity_text.hpp"
#include "tools/text/policy_name.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kBarWidth = 10;
constexpr std::size_t kGap = 2;  // between columns
constexpr std::uint64_t kHighPermille = 500;
constexpr std::uint64_t kFullPermille = 900;
constexpr double kSoonS = 5;
constexpr std::size_t kLongName = 20;  // longer ones are cut before a column is left out
constexpr std::size_t kShortName = 8;
constexpr std::size_t kFewestRates = 10;

StatusCell right(std::string text, Tone tone = Tone::kPlain) {
  return {std::move(text), tone, true};
}

Tone fill_tone(std::uint64_t permille) {
  return permille >= kFullPermille   ? Tone::kBad
         : permille >= kHighPermille ? Tone::kWarning
                                     : Tone::kPlain;
}

// Rings that are overwritten are full by design.
StatusCell fill_cell(std::uint64_t permille, std::uint64_t high_water_permille, bool drained) {
  return {bar_text(permille, drained ? high_water_permille : 0, kBarWidth) +
              fmt::format(" {:3}%", permille / 10),
          drained ? fill_tone(permille) : Tone::kPlain};
}

StatusCell overflow_cell(const std::optional<double>& seconds) {
  return right(seconds_text(seconds), seconds && *seconds < kSoonS ? Tone::kBad : Tone::kPlain);
}

StatusCell lost_cell(std::uint64_t lost, double per_s) {
  if (lost == 0) return right("0");
  return right(count_text(static_cast<double>(lost)) +
                   (per_s > 0 ? fmt::format(" +{}/s", count_text(per_s)) : ""),
               per_s > 0 ? Tone::kBad : Tone::kWarning);
}

StatusCell consumer_cell(const SegmentStatus& status) {
  switch (status.consumer) {
    case ConsumerHealth::kPolling:
      return {fmt::format("{}", status.consumer_pid), Tone::kGood};
    case ConsumerHealth::kNone:
      return {"none", Tone::kBad};
    case ConsumerHealth::kStalled:
      return {"stalled", Tone::kBad};
    case ConsumerHealth::kSilent:
      return {"silent", Tone::kBad};
  }
  return {};
}

std::uint64_t permille(std::uint64_t part, std::uint64_t whole) {
  return whole != 0 ? std::min<std::uint64_t>(part, whole) * 1000 / whole : 0;
}

// Indices in the order of `less`; equal elements keep their order.
template <class Less>
std::vector<std::size_t> sorted(std::size_t count, Less less) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

std::string joined_losses(const std::vector<LossCount>& losses) {
  std::string text;
  for (const LossCount& loss : losses) {
    if (loss.count == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", loss.name, loss.count);
  }
  return text;
}

}  // namespace

StatusTable service_table(const std::vector<ServiceView>& services, SortBy sort_by, bool unicode,
                          std::vector<std::size_t>* order) {
  StatusTable table;
  table.columns = {"SERVICE", "PID",     "CONSUMERD", "POLICY", "THREADS", "FULLEST RING",
                   "REC/S",   "BYTES/S", "OVERFLOW",  "LOST",   "RATE"};
  table.dispensable = {10, 3, 4, 2, 8};
  table.elastic = 0;
  table.rather_cut = 3;
  *order = sorted(services.size(), [&](std::size_t a, std::size_t b) {
    const ServiceView& x = services[a];
    const ServiceView& y = services[b];
    switch (sort_by) {
      case SortBy::kName:
        return false;
      case SortBy::kRate:
        return x.bytes_per_s > y.bytes_per_s;
      case SortBy::kFill:
        return x.fullest_permille > y.fullest_permille;
      case SortBy::kLoss:
        return x.now.lost() > y.now.lost();
    }
    return false;
  });
  for (const std::size_t index : *order) {
    const ServiceView& view = services[index];
    const SegmentStatus& now = view.now;
    table.rows.push_back(
        {{trace::visible(now.service), now.alive ? Tone::kPlain : Tone::kFaint},
         right(fmt::format("{}", now.pid)),
         consumer_cell(now),
         {now.alive ? std::string(policy_name(now.policy)) : "ended",
          now.alive ? Tone::kPlain : Tone::kFaint},
         right(fmt::format("{}", now.active_threads())),
         fill_cell(view.fullest_permille, view.high_water_permille, now.sub_buffer_bytes == 0),
         right(count_text(view.records_per_s)),
         right(bytes_text(view.bytes_per_s)),
         overflow_cell(view.overflow_s),
         lost_cell(now.lost(), view.drops_per_s),
         {sparkline_text(std::vector<double>(view.bytes_history.begin(), view.bytes_history.end()),
                         20, unicode),
          Tone::kFaint}});
  }
  return table;
}

StatusTable thread_table(const ServiceView& service, SortBy sort_by,
                         std::vector<std::size_t>* order) {
  StatusTable table;
  table.columns = {"THREAD",  "ID",       "FILL",    "HIGH", "REC/S",
                   "BYTES/S", "OVERFLOW", "BLOCKED", "LOST", "RING SIZE ADVICE"};
  table.dispensable = {9, 3, 7, 6};
  const bool measures = service.now.cost_sampling != 0;
  if (measures) {
    // Inserts before the last column, which may have any width.
    table.columns.insert(table.columns.end() - 1, {"CALL P50", "P99", "MAX"});
    table.dispensable = {12, 3, 7, 6, 11, 5};
  }
  const auto& threads = service.threads;
  *order = sorted(threads.size(), [&](std::size_t a, std::size_t b) {
    const ThreadView& x = threads[a];
    const ThreadView& y = threads[b];
    switch (sort_by) {
      case SortBy::kName:
        return x.now.thread_name < y.now.thread_name;
      case SortBy::kRate:
        return x.bytes_per_s > y.bytes_per_s;
      case SortBy::kFill:
        return x.now.fill_bytes > y.now.fill_bytes;
      case SortBy::kLoss:
        return x.now.dropped > y.now.dropped;
    }
    return false;
  });
  const std::uint64_t ring_bytes = service.now.ring_bytes;
  const bool drained = service.now.sub_buffer_bytes == 0;
  for (const std::size_t index : *order) {
    const ThreadView& view = threads[index];
    const std::uint64_t high = permille(view.high_water_bytes, ring_bytes);
    StatusCell advice;
    if (view.now.quarantine != 0) {
      advice = {"quarantined: invalid contents", Tone::kBad};
    } else if (view.recommended_ring_bytes != 0) {
      const bool more = view.recommended_ring_bytes > ring_bytes;
      advice = {bytes_text(static_cast<double>(view.recommended_ring_bytes)) +
                    (more ? ", larger than now" : ""),
                more ? Tone::kWarning : Tone::kPlain};
    }
    table.rows.push_back(
        {{trace::visible(view.now.thread_name), view.now.active() ? Tone::kPlain : Tone::kFaint},
         right(fmt::format("{}", view.now.thread_id)),
         view.now.quarantine != 0
             ? StatusCell{"quarantined", Tone::kBad}
             : fill_cell(permille(view.now.fill_bytes, ring_bytes), high, drained),
         right(fmt::format("{}%", high / 10), drained ? fill_tone(high) : Tone::kPlain),
         right(count_text(view.records_per_s)),
         right(bytes_text(view.bytes_per_s)),
         overflow_cell(view.overflow_s),
         right(fmt::format("{:.1f}%", view.blocked_share * 100),
               view.blocked_share > 0 ? Tone::kWarning : Tone::kPlain),
         lost_cell(view.now.dropped, view.drops_per_s)});
    if (measures) {
      const shm::CallCostCounts& costs = view.now.call_costs;
      for (const double ticks : {costs.quantile_ticks(500), costs.quantile_ticks(990),
                                 static_cast<double>(costs.most_ticks())}) {
        table.rows.back().push_back(right(cost_text(costs, ticks, service.now.tick_hz)));
      }
    }
    table.rows.back().push_back(advice);
  }
  return table;
}

StatusTable statement_table(const ServiceView& service, SortBy sort_by,
                            std::vector<std::size_t>* order) {
  StatusTable table;
  table.columns = {"REC/S", "BYTES/S", "SHARE", "LOST", "SWITCH", "LEVEL", "PLACE", "TEXT"};
  table.dispensable = {5, 4};
  if (service.has_executions) {
    table.columns.insert(table.columns.begin() + 4, {"COUNTED", "SUPPRESSED"});
    table.dispensable = {7, 5, 6};
  }
  const auto& statements = service.statements;
  *order = sorted(statements.size(), [&](std::size_t a, std::size_t b) {
    const StatementView& x = statements[a];
    const StatementView& y = statements[b];
    if (sort_by == SortBy::kName) {
      return std::tie(x.statement.file, x.statement.line) <
             std::tie(y.statement.file, y.statement.line);
    }
    return sort_by == SortBy::kLoss ? x.lost > y.lost : x.share > y.share;
  });
  for (const std::size_t index : *order) {
    const StatementView& view = statements[index];
    const bool runs = view.share > 0;
    const char* const word = view.counting ? "counting" : view.enabled ? "on" : "off";
    const bool is_off = !view.counting && !view.enabled;
    table.rows.push_back(
        {right(count_text(view.records_per_s)),
         right(bytes_text(view.bytes_per_s)),
         right(fmt::format("{:.1f}%", view.share * 100)),
         lost_cell(view.lost, 0),
         {word, is_off ? Tone::kFaint : Tone::kPlain},
         {std::string(shm::level_name(view.statement.level))},
         {trace::visible(view.statement.place()), runs ? Tone::kPlain : Tone::kFaint},
         {trace::visible(view.statement.format), runs ? Tone::kPlain : Tone::kFaint}});
    if (!service.has_executions) continue;
    auto& row = table.rows.back();
    row.insert(row.begin() + 4, {right(count_text(static_cast<double>(view.counted))),
                                 right(count_text(static_cast<double>(view.suppressed)))});
  }
  return table;
}

std::vector<StatusCell> service_remarks(const ServiceView& service) {
  const SegmentStatus& now = service.now;
  std::vector<StatusCell> remarks;
  const auto remark = [&remarks](Tone tone, std::string text) {
    remarks.push_back({std::move(text), tone});
  };
  switch (now.consumer) {
    case ConsumerHealth::kPolling:
      break;
    case ConsumerHealth::kNone:
      remark(Tone::kBad,
             !now.alive ? "no consumerd: start one to write the remaining records"
             : now.sub_buffer_bytes != 0
                 ? "no consumerd: start one to take snapshots"
                 : "no consumerd: when the rings are full, records are lost; start one");
      break;
    case ConsumerHealth::kStalled:
      remark(Tone::kBad, "consumerd cannot write: see its log");
      break;
    case ConsumerHealth::kSilent:
      remark(Tone::kBad,
             fmt::format(
                 "consumerd {} has sent no heartbeat for {}: stopped, or without processor time",
                 now.consumer_pid, seconds_text(static_cast<double>(now.heartbeat_age_ns) / 1e9)));
      break;
  }
  if (!now.alive) remark(Tone::kFaint, "the service has ended");
  const auto given_up = std::count_if(service.threads.begin(), service.threads.end(),
                                      [](const auto& one) { return one.now.quarantine != 0; });
  if (given_up != 0) {
    remark(Tone::kBad,
           fmt::format("{} ring{} quarantined: invalid contents; see the log of consumerd",
                       given_up, given_up == 1 ? "" : "s", given_up == 1 ? "it" : "them"));
  }
  if (service.unwritten_bytes != 0) {
    remark(Tone::kPlain, fmt::format("backlog: {} recorded but not yet written",
                                     bytes_text(static_cast<double>(service.unwritten_bytes))));
  }
  if (now.lost() != 0) {
    remark(service.drops_grow ? Tone::kBad : Tone::kWarning,
           "lost: " + joined_losses(loss_causes(now)));
  }
  if (service.recommended_ring_bytes > now.ring_bytes) {
    remark(Tone::kWarning,
           fmt::format("larger rings of {} are recommended: RINGSIDE_RING_BYTES={}",
                       bytes_text(static_cast<double>(service.recommended_ring_bytes)),
                       service.recommended_ring_bytes));
  }
  if (now.cost_sampling != 0 && now.call_costs.calls() != 0) {
    remark(Tone::kPlain, call_cost_summary(now.call_costs, now.cost_sampling, now.tick_hz));
  }
  if (!service.trouble.empty()) remark(Tone::kBad, trace::visible(service.trouble));
  return remarks;
}

std::vector<StatusCell> history_remarks(const ServiceView& service, std::size_t width,
                                        bool unicode) {
  constexpr std::size_t kBeside = 26;  // "bytes/s  " before it, "  most 1023 KiB" after it
  const std::size_t most_looks = width > kBeside + kFewestRates ? width - kBeside : kFewestRates;
  std::vector<StatusCell> remarks;
  const auto remark = [&](const char* what, const std::deque<double>& rates, auto text, Tone tone) {
    const std::vector<double> latest(
        rates.end() - static_cast<std::ptrdiff_t>(std::min(most_looks, rates.size())), rates.end());
    const double most = latest.empty() ? 0 : *std::max_element(latest.begin(), latest.end());
    if (latest.empty() || (tone == Tone::kBad && most == 0)) return;
    remarks.push_back({fmt::format("{:7}  {}  most {}", what,
                                   sparkline_text(latest, most_looks, unicode), text(most)),
                       tone});
  };
  remark("bytes/s", service.bytes_history, bytes_text, Tone::kPlain);
  remark("lost/s", service.drops_history, count_text, Tone::kBad);
  return remarks;
}

std::size_t text_columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // the first byte of a character
  }));
}

std::string fitted(std::string_view text, std::size_t columns) {
  if (text_columns(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && seen++ == columns - 1) break;
  }
  return std::string(text.substr(0, end)) + '~';
}

std::vector<std::size_t> column_widths(const StatusTable& table, std::size_t width) {
  std::vector<std::size_t> widths;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = table.columns[i].size();
    for (const auto& row : table.rows) widest = std::max(widest, text_columns(row[i].text));
    widths.push_back(widest);
    sum += widest + kGap;
  }
  const std::size_t room = width + kGap;
  const bool cuts = table.elastic < widths.size();
  const std::size_t whole_name = cuts ? widths[table.elastic] : 0;
  const auto cut_names = [&](std::size_t least) {
    if (!cuts || sum <= room || widths[table.elastic] <= least) return;
    const std::size_t cut = std::min(sum - room, widths[table.elastic] - least);
    widths[table.elastic] -= cut;
    sum -= cut;
  };
  cut_names(kLongName);
  for (std::size_t i = 0; i < table.dispensable.size() && sum > room; ++i) {
    if (i == table.rather_cut) cut_names(kShortName);
    if (sum <= room) break;
    const std::size_t column = table.dispensable[i];
    sum -= widths[column] + kGap;
    widths[column] = 0;
  }
  cut_names(kShortName);
  // The last omitted column freed more room than was needed.
  if (cuts && sum < room) {
    widths[table.elastic] += std::min(room - sum, whole_name - widths[table.elastic]);
  }
  return widths;
}

std::string table_text(const StatusTable& table) {
  const std::vector<std::size_t> widths = column_widths(table, SIZE_MAX / 2);
  std::string text;
  const auto add = [&](std::size_t i, std::string_view cell, bool to_the_right) {
    const std::string blanks(widths[i] - text_columns(cell), ' ');
    if (i > 0) text.append(kGap, ' ');
    if (to_the_right) text += blanks;
    text += cell;
    if (!to_the_right) text += blanks;
  };
  const auto end_line = [&text] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    add(i, table.columns[i], !table.rows.empty() && table.rows.front()[i].right);
  }
  end_line();
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) add(i, row[i].text, row[i].right);
    end_line();
  }
  return text;
}

}  // namespace ringside::tool
