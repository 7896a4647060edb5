#include "trace-format/lines/line_column.hpp"

#include <algorithm>
#include <iterator>

#include "trace-format/condition/field_name.hpp"
#include "trace-format/lines/loss_text.hpp"
#include "trace-format/lines/record_extension_text.hpp"

namespace ringside::trace {
namespace {

constexpr std::string_view kFieldPrefix = "field:";

// Whether records of one statement and thread differ in it.
bool is_of_record(Property property) {
  return is_of_extension(property) || property == Property::kProcessor;
}

struct NamedColumn {
  std::string_view name;
  ColumnKind kind;
};

// Besides the properties.
constexpr NamedColumn kColumns[] = {{"time", ColumnKind::kTime},
                                    {"utc", ColumnKind::kUtc},
                                    {"msg", ColumnKind::kMessage},
                                    {"fields", ColumnKind::kFields},
                                    {"context", ColumnKind::kContext}};

void add_property(LineParts& parts, Property property, const Event& event, const Site* site,
                  const PartStyle& style) {
  switch (property) {
    case Property::kUnixNs:
      return parts.part(PartKind::kUnixNs, style);
    case Property::kSequence:
      return parts.part(PartKind::kSequence, style);
    case Property::kProcessor:
      return parts.processor(PartKind::kProcessor, style);
    case Property::kLevel:
      if (site == nullptr) return parts.text("LOST", style);
      break;
    default:
      if (is_of_extension(property)) return parts.property(property, style);
      break;
  }
  parts.text(constant_property(property, event, site), style);
}

}  // namespace

std::string constant_property(Property property, const Event& event, const Site* site) {
  PropertySource source = PropertySource::of(event);
  source.site = site;
  TextSink text;
  append_property(text, property, source);
  return std::string(text.text());
}

bool line_has(Property property, const Event& event, const Site* site) {
  switch (property) {
    case Property::kUnixNs:
    case Property::kLevel:
    case Property::kSequence:
      return true;
    case Property::kFile:
    case Property::kLine:
      return site != nullptr;
    case Property::kKind:
      return site != nullptr && site->kind != shm::SiteKind::kLog;
    case Property::kKeywords:
      return site != nullptr && site->keywords != 0;
    default:
      return is_of_record(property) || !constant_property(property, event, site).empty();
  }
}

std::optional<LineColumn> find_column(std::string_view name) {
  if (name.size() > kFieldPrefix.size() && name.starts_with(kFieldPrefix)) {
    return LineColumn{ColumnKind::kField, std::string(name.substr(kFieldPrefix.size())), {}};
  }
  const auto found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                  [&](const NamedColumn& one) { return one.name == name; });
  if (found != std::end(kColumns)) return LineColumn{found->kind, {}, {}};
  const PropertyEntry* const property = find_property(name);
  if (property == nullptr) return std::nullopt;
  return LineColumn{ColumnKind::kProperty, {}, property->property};
}

std::string column_names() {
  std::string names;
  for (const NamedColumn& one : kColumns) {
    names += one.name;
    names += ", ";
  }
  return names + property_names();
}

void add_column(LineParts& parts, const LineColumn& column, const Event& event,
                const SiteMessage* message, const PartStyle& style) {
  const Site* const site = message == nullptr ? nullptr : event.record.site;
  switch (column.kind) {
    case ColumnKind::kTime:
      return parts.part(PartKind::kWallTime, style);
    case ColumnKind::kUtc:
      return parts.part(PartKind::kInternetTime, style);
    case ColumnKind::kProperty:
      return add_property(parts, column.property, event, site, style);
    case ColumnKind::kMessage:
      return message == nullptr ? parts.text(loss_text(event), style) : parts.message(style);
    case ColumnKind::kFields:
      return site == nullptr ? parts.text("{}", style) : parts.part(PartKind::kFields, style);
    case ColumnKind::kContext:
      return site == nullptr ? parts.text("{}", style)
                             : parts.part(PartKind::kContextObject, style);
    case ColumnKind::kField: {
      const auto index = site == nullptr ? std::nullopt : find_field(*site, column.field);
      if (index) return parts.field(*index, style);
      return site == nullptr ? parts.text("", style) : parts.context_field(column.field, style);
    }
  }
}

}  // namespace ringside::trace
