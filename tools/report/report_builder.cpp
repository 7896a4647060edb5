#include "tools/report/report_builder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/report/halved.hpp"
#include "tools/report/moment_part.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/row_detail.hpp"
#include "tools/report/trace_comparison.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr int kDocumentVersion = 1;

// Names come from services and need not be UTF-8.
std::string text_of(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

constexpr std::size_t kMostTitleBytes = 1'000;
constexpr std::size_t kMostThreadNameBytes = 250;
constexpr std::size_t kShortThreadNameBytes = 16;
// Of the packed bytes, what records have at least.
constexpr std::size_t kRecordShare = 2'300'000;

json stream_json(const StreamStats& stream, bool is_short) {
  const std::size_t most_name = is_short ? kShortThreadNameBytes : kMostThreadNameBytes;
  json one{{"service", first_bytes(stream.service, most_name)},
           {"pid", stream.pid},
           {"records", stream.records},
           {"lost", stream.lost}};
  if (stream.stream_id != 0) {
    one["thread_id"] = stream.thread_id;
    one["thread_name"] = first_bytes(stream.thread_name, most_name);
  }
  if (is_short) one["short"] = true;
  return one;
}

// Those with losses have precedence, then those with the most records.
json streams_json(const TraceStats& stats, unsigned level) {
  std::vector<const StreamStats*> order = stats.streams();
  std::stable_sort(order.begin(), order.end(), [](const StreamStats* a, const StreamStats* b) {
    return std::tuple(a->lost != 0, a->records) > std::tuple(b->lost != 0, b->records);
  });
  std::vector<json> by_number(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const RowDetail detail = row_detail(rank, order.size(), level);
    if (detail == RowDetail::kNone) continue;
    by_number[order[rank]->number] = stream_json(*order[rank], detail == RowDetail::kShort);
  }
  return by_number;
}

}  // namespace

void ReportBuilder::add(const trace::Event& event) {
  // Made in place: a copy of the two words of a place is one load, which waits for their stores.
  const ReportEvent placed{event, stats_.add(event), grid_, grid_.interval(event.unix_ns)};
  health_.add(placed);
  statements_.add(placed);
  numbers_.add(placed);
  if (schedule_.is_run(event, placed.place)) [[unlikely]] {
    schedule_.add(placed);
  } else {
    timeline_.add(placed);
  }
  stacks_.add(placed);
  records_.add(placed);
  activities_.add(placed);
}

void ReportBuilder::compare_with(std::unique_ptr<ComparedTrace> before, const std::string& title) {
  before_ = std::move(before);
  before_title_ = title;
}

std::string ReportBuilder::summary(const trace::ReadReport& read, const ReportOrigin& origin,
                                   std::uint64_t last_ns, const SectionFitting& fitting,
                                   unsigned level) const {
  json summary{{"version", kDocumentVersion},
               {"title", first_bytes(origin.title, kMostTitleBytes)},
               // As a text: it has more than 53 bits.
               {"begin_unix_ns", std::to_string(grid_.begin_ns())},
               {"end", document_ns(last_ns, grid_)},
               {"interval_ns", std::uint64_t{1} << grid_.shift()},
               {"records", stats_.total().records},
               {"ring_bytes", stats_.total().ring_bytes},
               {"lost", stats_.total().lost},
               {"files", read.files},
               {"sections", read.sections},
               {"bytes_read", read.bytes_read},
               {"reduced", json::object()},
               {"streams", streams_json(stats_, level)}};
  for (const SectionFitting::Reduced& each : fitting.reduced())
    summary["reduced"][each.name] = each.level;
  return text_of(summary);
}

std::vector<ReportSection> ReportBuilder::sections(const trace::ReadReport& read,
                                                   const ReportOrigin& origin) {
  numbers_.finish(grid_);
  statements_.finish(grid_);
  const bool is_empty = stats_.total().records == 0;
  const std::uint64_t last_ns = is_empty ? grid_.begin_ns() : stats_.last_ns();
  SectionPacker packer;
  SectionFitting fitting(packer);
  fitting.add("summary", 400'000,
              [&](unsigned level) { return summary(read, origin, last_ns, fitting, level); });
  fitting.add("health", 150'000, [&](unsigned level) {
    return text_of(health_.document(stats_, read, origin, grid_, level));
  });
  fitting.add("statements", 900'000,
              [&](unsigned level) { return statements_.document(stats_, grid_, level); });
  json comparison;
  if (before_ != nullptr) {
    // Before the heat map, which makes classes wider.
    const ComparedParts after{stats_, grid_, statements_, heat_};
    comparison = compare_traces(before_->parts(), after, before_title_);
    fitting.add("comparison", 300'000,
                [&](unsigned level) { return text_of(reduced_comparison(comparison, level)); });
  }
  fitting.add("heat", 500'000, [&](unsigned level) { return heat_.document(grid_, level); });
  fitting.add("timeline", 1'000'000,
              [&](unsigned level) { return text_of(timeline_.document(grid_, last_ns, level)); });
  fitting.add("schedule", 400'000,
              [&](unsigned level) { return text_of(schedule_.document(grid_, level)); });
  fitting.add("series", 200'000,
              [&](unsigned level) { return text_of(series_.document(grid_, level)); });
  fitting.add("flame", 400'000, [&](unsigned level) {
    return text_of(json{{"spans", timeline_.paths().document(halved(PathTree::kMostShown, level))},
                        {"stacks", stacks_.document(level)}});
  });
  fitting.add("activities", 350'000,
              [&](unsigned level) { return activities_.document(grid_, level); });
  fitting.add("triggers", 100'000,
              [&](unsigned level) { return moments_document(moments_, grid_, level); });
  const std::size_t most = most_packed_bytes();
  fitting.fit(most - std::min(most, kRecordShare));
  fitting.make_again("summary");
  const std::size_t used = std::min(most, fitting.packed_bytes());
  RecordPart::Documents records = records_.documents(grid_, most - used, packer);
  std::vector<ReportSection> sections = fitting.take();
  sections.push_back({"records", std::move(records.index)});
  for (std::size_t i = 0; i < records.chunks.size(); ++i)
    sections.push_back({"records-" + std::to_string(i), std::move(records.chunks[i])});
  return sections;
}

}  // namespace ringside::tool
