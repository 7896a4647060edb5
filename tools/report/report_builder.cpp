#include "tools/report/report_builder.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "tools/report/moment_part.hpp"
#include "tools/report/trace_comparison.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr int kDocumentVersion = 1;

// Names come from services and need not be UTF-8.
std::string text_of(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json streams_json(const TraceStats& stats) {
  std::vector<json> by_number(stats.streams().size());
  for (const StreamStats* const stream : stats.streams()) {
    json one{{"service", stream->service},
             {"pid", stream->pid},
             {"records", stream->records},
             {"lost", stream->lost}};
    if (stream->stream_id != 0) {
      one["thread_id"] = stream->thread_id;
      one["thread_name"] = stream->thread_name;
    }
    by_number[stream->number] = std::move(one);
  }
  return by_number;
}

}  // namespace

void ReportBuilder::add(const trace::Event& event) {
  const TraceStats::Place place = stats_.add(event);
  const std::size_t interval = grid_.interval(event.unix_ns);
  const ReportEvent placed{event, place, grid_, interval};
  health_.add(placed);
  statements_.add(placed);
  numbers_.add(placed);
  if (schedule_.is_run(event, place)) [[unlikely]] {
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

std::vector<ReportSection> ReportBuilder::sections(const trace::ReadReport& read,
                                                   const ReportOrigin& origin) {
  numbers_.finish(grid_);
  const bool is_empty = stats_.total().records == 0;
  const std::uint64_t last_ns = is_empty ? grid_.begin_ns() : stats_.last_ns();
  json summary{{"version", kDocumentVersion},
               {"title", origin.title},
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
               {"streams", streams_json(stats_)}};
  std::vector<ReportSection> sections;
  sections.push_back({"summary", text_of(summary)});
  sections.push_back({"health", text_of(health_.document(stats_, read, origin, grid_))});
  sections.push_back({"statements", text_of(statements_.document(stats_, grid_))});
  // Before the heat map, which makes classes wider.
  if (before_ != nullptr) {
    const ComparedParts after{stats_, grid_, statements_, heat_};
    sections.push_back(
        {"comparison", text_of(compare_traces(before_->parts(), after, before_title_))});
  }
  sections.push_back({"heat", heat_.document(grid_)});
  sections.push_back({"timeline", text_of(timeline_.document(grid_, last_ns))});
  sections.push_back({"schedule", text_of(schedule_.document(grid_))});
  sections.push_back({"series", text_of(series_.document(grid_))});
  sections.push_back({"flame", text_of(json{{"spans", timeline_.paths().document()},
                                            {"stacks", stacks_.document()}})});
  sections.push_back({"activities", activities_.document(grid_)});
  sections.push_back({"triggers", moments_document(moments_, grid_)});
  RecordPart::Documents records = records_.documents(grid_);
  sections.push_back({"records", std::move(records.index)});
  for (std::size_t i = 0; i < records.chunks.size(); ++i)
    sections.push_back({"records-" + std::to_string(i), std::move(records.chunks[i])});
  return sections;
}

}  // namespace ringside::tool
