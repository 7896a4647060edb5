#include "tools/text/line_column.hpp"

#include <algorithm>
#include <iterator>

#include "shm-layout/level.hpp"
#include "tools/text/loss_text.hpp"
#include "trace-format/condition/field_name.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kFieldPrefix = "field:";

struct NamedColumn {
  std::string_view name;
  ColumnKind kind;
};

constexpr NamedColumn kColumns[] = {{"time", ColumnKind::kTime},
                                    {"utc", ColumnKind::kUtc},
                                    {"unix_ns", ColumnKind::kUnixNs},
                                    {"level", ColumnKind::kLevel},
                                    {"category", ColumnKind::kCategory},
                                    {"service", ColumnKind::kService},
                                    {"pid", ColumnKind::kPid},
                                    {"host", ColumnKind::kHost},
                                    {"thread", ColumnKind::kThread},
                                    {"thread_id", ColumnKind::kThreadId},
                                    {"file", ColumnKind::kFile},
                                    {"line", ColumnKind::kLine},
                                    {"function", ColumnKind::kFunction},
                                    {"site", ColumnKind::kSite},
                                    {"msg", ColumnKind::kMessage},
                                    {"seq", ColumnKind::kSequence},
                                    {"duration_ns", ColumnKind::kDurationNs},
                                    {"activity", ColumnKind::kActivity},
                                    {"related", ColumnKind::kRelated},
                                    {"cut", ColumnKind::kCut},
                                    {"fields", ColumnKind::kFields}};

std::string text_of_segment(ColumnKind kind, const trace::SegmentInfo* segment) {
  if (segment == nullptr) return {};
  switch (kind) {
    case ColumnKind::kService:
      return segment->service;
    case ColumnKind::kPid:
      return std::to_string(segment->pid);
    default:
      return segment->host;
  }
}

std::string text_of_site(ColumnKind kind, const trace::Site* site) {
  if (site == nullptr) return kind == ColumnKind::kLevel ? "LOST" : std::string();
  switch (kind) {
    case ColumnKind::kLevel:
      return std::string(shm::level_name(site->level));
    case ColumnKind::kCategory:
      return site->category;
    case ColumnKind::kFile:
      return site->file;
    case ColumnKind::kLine:
      return std::to_string(site->line);
    case ColumnKind::kFunction:
      return site->function;
    default:
      return site->name;
  }
}

// For the parts that each record provides; call it only for these.
PartKind part_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kTime:
      return PartKind::kWallTime;
    case ColumnKind::kUtc:
      return PartKind::kInternetTime;
    case ColumnKind::kUnixNs:
      return PartKind::kUnixNs;
    case ColumnKind::kSequence:
      return PartKind::kSequence;
    case ColumnKind::kDurationNs:
      return PartKind::kDurationNs;
    case ColumnKind::kActivity:
      return PartKind::kActivity;
    case ColumnKind::kRelated:
      return PartKind::kRelated;
    default:
      return PartKind::kCut;
  }
}

}  // namespace

std::optional<LineColumn> find_column(std::string_view name) {
  if (name.size() > kFieldPrefix.size() && name.starts_with(kFieldPrefix)) {
    return LineColumn{ColumnKind::kField, std::string(name.substr(kFieldPrefix.size()))};
  }
  const auto found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                  [&](const NamedColumn& one) { return one.name == name; });
  if (found == std::end(kColumns)) return std::nullopt;
  return LineColumn{found->kind, {}};
}

std::string column_names() {
  std::string names;
  for (const NamedColumn& one : kColumns) {
    if (!names.empty()) names += ", ";
    names += one.name;
  }
  return names;
}

void add_column(LineParts& parts, const LineColumn& column, const trace::Event& event,
                const trace::SiteMessage* message, const PartStyle& style) {
  const trace::Site* const site = message == nullptr ? nullptr : event.record.site;
  switch (column.kind) {
    case ColumnKind::kLevel:
    case ColumnKind::kCategory:
    case ColumnKind::kFile:
    case ColumnKind::kLine:
    case ColumnKind::kFunction:
    case ColumnKind::kSite:
      return parts.text(text_of_site(column.kind, site), style);
    case ColumnKind::kService:
    case ColumnKind::kPid:
    case ColumnKind::kHost:
      return parts.text(text_of_segment(column.kind, event.segment), style);
    case ColumnKind::kThread:
      return parts.text(event.stream == nullptr ? "" : event.stream->thread_name, style);
    case ColumnKind::kThreadId:
      return parts.text(
          event.stream == nullptr ? std::string() : std::to_string(event.stream->thread_id), style);
    case ColumnKind::kMessage:
      return message == nullptr ? parts.text(loss_text(event), style) : parts.message(style);
    case ColumnKind::kFields:
      return site == nullptr ? parts.text("{}", style) : parts.part(PartKind::kFields, style);
    case ColumnKind::kField: {
      const auto index = site == nullptr ? std::nullopt : trace::find_field(*site, column.field);
      return index ? parts.field(*index, style) : parts.text("", style);
    }
    default:
      return parts.part(part_of(column.kind), style);
  }
}

}  // namespace ringside::tool
