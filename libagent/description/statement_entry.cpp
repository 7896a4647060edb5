#include "libagent/description/statement_entry.hpp"

#include <algorithm>
#include <cstring>

#include "libagent/description/argument_names.hpp"
#include "libagent/description/boundary_numbers.hpp"
#include "libagent/description/stream_format.hpp"
#include "libagent/include/ringside/span_abi.h"
#include "shm-layout/enum_table_entry.hpp"
#include "shm-layout/format_style.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/span_id_field.hpp"

namespace ringside {
namespace {

constexpr std::size_t kMaxTextBytes = 64U << 10;
// Too large for the stack of a signal handler. Under the slow-path lock.
constinit ArgumentNames argument_names;
constinit NetloggerConstants netlogger_constants;
// A NetLogger event has constants besides its variables.
constinit std::array<shm::FieldDescription, std::size_t{2} * RS_MAX_FIELDS> field_places{};
constinit std::array<StatementEntry::Table, RS_MAX_FIELDS> table_places{};
constinit std::array<std::string_view, RS_MAX_FIELDS> name_places{};
static_assert(field_places.size() <= shm::kMaxFields);

static_assert(RS_CODE_EXTENDED == shm::kCodeExtended);
static_assert(RS_EXTENDED_SPAN == (shm::kExtDuration | shm::kExtFromEnd));
static_assert(RS_EXTENDED_CUT == shm::kExtCut);
static_assert(RS_EXTENDED_ACTIVITY == shm::kExtActivity);
static_assert(RS_EXTENDED_RELATED == shm::kExtRelatedActivity);
static_assert(RS_SPAN_HEAD_BYTES ==
              shm::kExtendedHeadBytes + shm::extended_parts_bytes(RS_EXTENDED_SPAN));
static_assert(RS_SPAN_PLAIN_HEAD_BYTES == shm::kHeadBytes);
static_assert(RS_SPAN_BEGIN_HEAD_BYTES == shm::kExtendedHeadBytes);
static_assert(shm::kSpanIdField == RS_SPAN_ID_FIELD);

std::string_view bounded(const char* text) {
  if (text == nullptr) return {};
  return {text, strnlen(text, kMaxTextBytes)};
}

std::size_t table_bytes(const rs_enumeration& enumeration) {
  return shm::enum_table_bytes(enumeration.count, enumeration.names);
}

}  // namespace

StatementEntry::StatementEntry(const rs_site& site)
    : site_(site), constants_(netlogger_constants), fields_(field_places), tables_(table_places) {
  constants_.clear();
}

const char* StatementEntry::read(std::uint32_t id, const shm::FieldList& conversions) {
  description_.site_id = id;
  if ((site_.flags & RS_SITE_CONSUMER_CLOCK) != 0) description_.flags |= shm::kSiteConsumerClock;
  description_.line = site_.line;
  description_.level = stored_level(site_.level);
  description_.format_style = site_.style;
  const auto format = is_stream(site_) ? stream_format(site_) : bounded(site_.format);
  if (!format) return "the text of a statement is too long for";
  description_.format = *format;
  description_.file = bounded(site_.file);
  description_.function = bounded(site_.function);
  if (site_.style == RS_STYLE_NONE) {
    description_.kind = shm::SiteKind::kEvent;
    description_.name = description_.format;
  }
  if (site_.style == RS_STYLE_CONTEXT) {
    description_.format_style = RS_STYLE_NONE;
    description_.kind = shm::SiteKind::kContext;
    description_.name = description_.format;
  }
  switch (site_.flags & RS_SITE_HISTOGRAM) {
    case RS_SITE_SPAN:
      description_.kind = shm::SiteKind::kSpan;
      break;
    case RS_SITE_COUNTER:
      description_.kind = shm::SiteKind::kCounter;
      break;
    case RS_SITE_HISTOGRAM:
      description_.kind = shm::SiteKind::kHistogram;
      break;
    default:
      break;
  }
  if (const rs_site_detail* const detail = site_.detail) {
    if (detail->name != nullptr) {
      description_.kind = shm::SiteKind::kEvent;
      description_.name = bounded(detail->name);
    }
    description_.category = bounded(detail->category);
    description_.keywords = detail->keywords;
  }
  const FieldTypes types(site_);
  const bool is_typed = site_.signature != nullptr && site_.signature->shapes != nullptr;
  const std::span names(name_places);
  std::ranges::fill(names, std::string_view());
  if ((site_.flags & RS_SITE_NETLOGGER) != 0) {
    const std::span variable_names = names.first(types.count());
    if (!read_netlogger_texts(site_, description_, variable_names, constants_)) {
      return "invalid NetLogger event: statement refused by";
    }
  } else if (is_stream(site_)) {
    const std::size_t count = is_typed ? site_.signature->argument_count : types.count();
    name_stream_fields(site_, names.first(count));
  } else {
    const std::size_t count = is_typed ? site_.signature->argument_count : types.count();
    std::ranges::copy(argument_names.read(bounded(site_.arguments), count), names.begin());
  }
  const std::size_t first = constants_.describe(fields_);
  field_count_ = first + types.count();
  std::ranges::fill(fields_.subspan(first, types.count()), shm::FieldDescription());
  for (std::size_t i = 0; i < types.count(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    shm::FieldDescription& field = fields_[first + i];
    field.type = shm::element_type(types[i]);
    field.array = shm::is_array(types[i]) ? 1 : 0;
    if (index < conversions.count && conversions[index].role != shm::PrintfRole::value) {
      field.flags = shm::kFieldFormatArg;
    }
    field.name = names[i];
    if (site_.signature == nullptr && !types.is_recorded(i)) {
      const char* const constant = site_.detail->constants[i];
      field.flags = shm::kFieldConstant;
      field.constant = constant != nullptr ? bounded(constant) : "(null)";
    }
  }
  if (!is_typed) return nullptr;
  if (!typed_.read(site_, description_.format, bounded(site_.arguments), names)) {
    return "invalid arguments: statement refused by";
  }
  description_.format = typed_.format();
  typed_.describe(fields_.first(field_count_));
  return nullptr;
}

bool StatementEntry::add_stack() {
  constexpr std::string_view kName = "stack";
  if (field_count_ >= fields_.size()) return false;
  if (field_count_ != 0) {
    const shm::FieldDescription& last = fields_[field_count_ - 1];
    if (last.name == kName && last.array != 0 && last.type == shm::FieldType::pointer) return false;
  }
  description_.flags |= shm::kSiteWithStack;
  shm::FieldDescription& field = fields_[field_count_++];
  field = {};
  field.type = shm::FieldType::pointer;
  field.array = 1;
  field.name = kName;
  return true;
}

std::size_t StatementEntry::bytes(std::uint64_t at) {
  const std::uint64_t begin = at;
  table_count_ = 0;
  const bool is_typed = site_.signature != nullptr && site_.signature->shapes != nullptr;
  // Not the stack, which is not of the statement.
  const std::size_t own_fields = field_count_ - (has_stack() ? 1 : 0);
  for (std::size_t i = 0; is_typed && i < own_fields; ++i) {
    rs_enumeration* const enumeration = typed_.enumeration(i);
    if (enumeration == nullptr) continue;
    const auto tables = tables_.first(table_count_);
    const auto known = std::ranges::find(tables, enumeration, &Table::enumeration);
    if (enumeration->table_id != 0 || known != tables.end()) {
      fields_[i].enum_table_id = known != tables.end() ? known->id : enumeration->table_id;
      continue;
    }
    const std::size_t bytes = table_bytes(*enumeration);
    // No other table and no other segment of this process has an entry at the same place.
    const auto id = static_cast<std::uint32_t>(at / 8 + 1);
    is_too_large_ = is_too_large_ || bytes > shm::kMaxEntryBytes;
    fields_[i].enum_table_id = id;
    tables_[table_count_++] = {enumeration, id};
    at += bytes;
  }
  const std::size_t own = shm::site_entry_bytes(description_, fields());
  is_too_large_ = is_too_large_ || own > shm::kMaxEntryBytes;
  return static_cast<std::size_t>(at - begin) + own;
}

void StatementEntry::write(std::byte* out) const {
  for (const Table& table : tables_.first(table_count_)) {
    const rs_enumeration& enumeration = *table.enumeration;
    shm::write_enum_table(table.id, {enumeration.values, enumeration.count}, enumeration.names,
                          out);
    out += table_bytes(enumeration);
  }
  shm::write_site_entry(description_, fields(), out);
}

void StatementEntry::note_tables() const {
  for (const Table& table : tables_.first(table_count_)) {
    table.enumeration->table_id = table.id;
  }
}

}  // namespace ringside
