#include "tools/interop/nettrace/nettrace_event_plan.hpp"

#include <algorithm>

#include "shm-layout/record_head.hpp"
#include "tools/interop/event_facts.hpp"
#include "tools/interop/nettrace/nettrace_blocks.hpp"
#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_manifest_values.hpp"
#include "tools/interop/nettrace/nettrace_ringside_site.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

using shm::FieldType;

constexpr std::size_t kMostElements = 65535;
constexpr std::string_view kLongArray = "arrays and bytes are truncated after 65535 elements";

void append_text(std::string& out, std::string_view text, ConversionReport& report) {
  const std::size_t end = text.find('\0');
  if (end != std::string_view::npos) [[unlikely]] {
    report.lost(kNullCharacter);
    text = text.substr(0, end);
  }
  if (!append_utf16_of_utf8(out, text)) [[unlikely]]
    report.lost(kNoUtf8);
  out.append(2, '\0');
}

std::size_t append_count(std::string& out, std::size_t count, ConversionReport& report) {
  if (count > kMostElements) [[unlikely]] {
    report.lost(kLongArray);
    count = kMostElements;
  }
  append_number(out, static_cast<std::uint16_t>(count));
  return count;
}

void append_bytes(std::string& out, std::string_view bytes, ConversionReport& report) {
  const std::size_t count = append_count(out, bytes.size(), report);
  out += bytes.substr(0, count);
}

void append_array(std::string& out, const trace::Value& value, ConversionReport& report) {
  const FieldType element = shm::element_type(value.type);
  const std::size_t count = append_count(out, value.count, report);
  std::string_view rest = value.text;
  if (element == FieldType::boolean || element == FieldType::character) {
    for (const char c : rest.substr(0, count)) {
      out += c;
      out.append(element == FieldType::boolean ? 3U : 1U, '\0');
    }
    return;
  }
  if (element != FieldType::string && element != FieldType::bytes) {
    out += rest.substr(0, count * shm::fixed_size(element));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes =
        rest.size() < 4
            ? 0
            : trace::load<std::uint32_t>(reinterpret_cast<const std::byte*>(rest.data()));
    const std::string_view text = rest.size() < 4 ? rest : rest.substr(4, bytes);
    if (element == FieldType::string) {
      append_text(out, text, report);
    } else {
      append_bytes(out, text, report);
    }
    rest.remove_prefix(std::min(rest.size(), 4 + text.size()));
  }
}

void append_value(std::string& out, const trace::Value& value, ConversionReport& report) {
  if (shm::is_array(value.type)) return append_array(out, value, report);
  switch (value.type) {
    case FieldType::boolean:
      return append_number(out, static_cast<std::uint32_t>(value.u64));
    case FieldType::character:
      return append_number(out, static_cast<std::uint16_t>(value.u64));
    case FieldType::string:
      return append_text(out, value.text, report);
    case FieldType::bytes:
      return append_bytes(out, value.text, report);
    case FieldType::f32:
      return append_number(out, value.f32);
    case FieldType::i128:
    case FieldType::u128:
      append_number(out, value.u64);
      return append_number(out, value.high);
    case FieldType::f80:
      append_number(out, value.u64);
      return append_number(out, static_cast<std::uint16_t>(value.high));
    default:
      out.append(reinterpret_cast<const char*>(&value.u64), shm::fixed_size(value.type));
  }
}

void append_name(std::string& out, std::string_view name) {
  append_utf16_of_utf8(out, name.substr(0, name.find('\0')));
  out.append(2, '\0');
}

bool needs_v2(const MetadataField& field) {
  return field.type == TypeCode::kArray ||
         std::any_of(field.parts.begin(), field.parts.end(), needs_v2);
}

void append_fields(std::string& out, const std::vector<MetadataField>& fields, bool v2);

void append_type(std::string& out, const MetadataField& field, bool v2) {
  append_number(out, static_cast<std::uint32_t>(field.type));
  if (field.type == TypeCode::kArray) return append_type(out, field.parts.front(), v2);
  if (field.type == TypeCode::kObject) append_fields(out, field.parts, v2);
}

void append_fields(std::string& out, const std::vector<MetadataField>& fields, bool v2) {
  append_number(out, static_cast<std::uint32_t>(fields.size()));
  for (const MetadataField& field : fields) {
    if (!v2) {
      append_type(out, field, v2);
      append_name(out, field.name);
      continue;
    }
    const std::size_t at = out.size();
    append_number(out, std::uint32_t{0});
    append_name(out, field.name);
    append_type(out, field, v2);
    trace::store(reinterpret_cast<std::byte*>(out.data() + at),
                 static_cast<std::uint32_t>(out.size() - at));
  }
}

void append_tag(std::string& out, std::uint8_t kind, std::string_view payload) {
  append_number(out, static_cast<std::uint32_t>(payload.size()));
  append_number(out, kind);
  out += payload;
}

// Takes the fields that hold facts of another NetTrace file.
bool take_fact(const trace::Field& field, const trace::Value& value, std::size_t index,
               EventPlan& plan) {
  Metadata& m = plan.metadata;
  const auto number = static_cast<std::uint32_t>(value.u64);
  const auto is = [&field](std::string_view name, FieldType type, bool array = false) {
    return field.name == name && field.type == type && field.is_array == array;
  };
  if (field.is_constant()) {
    if (is(kEventIdField, FieldType::u32)) {
      m.event_id = number;
    } else if (is(kVersionField, FieldType::u32)) {
      m.version = number;
    } else if (is(kOpcodeField, FieldType::u8)) {
      m.opcode = static_cast<std::uint8_t>(number);
    } else if (is(kLevelField, FieldType::u32)) {
      m.level = number;
    } else {
      return false;
    }
    return true;
  }
  if (is(kPayloadField, FieldType::bytes)) {
    plan.payload = index;
  } else if (is(kExtraField, FieldType::bytes)) {
    plan.extra = index;
  } else if (is(kProcessorField, FieldType::u32)) {
    plan.processor = index;
  } else if (is(kCaptureThreadField, FieldType::u64)) {
    plan.capture_thread = index;
  } else if (is(kThreadField, FieldType::u64)) {
    plan.thread = index;
  } else if (is(kStackField, FieldType::pointer, true)) {
    plan.stack = index;
  } else {
    return false;
  }
  return true;
}

bool is_foreign(const trace::Site& site) {
  const auto is_event_id = [](const trace::Field& field) {
    return field.name == kEventIdField && field.is_constant() && field.type == FieldType::u32 &&
           !field.is_array;
  };
  return std::any_of(site.fields.begin(), site.fields.end(), is_event_id);
}

}  // namespace

EventPlan EventPlan::of(const trace::Event& event, ConversionReport& report) {
  const trace::Site& site = *event.record.site;
  EventPlan plan;
  plan.is_foreign = nettrace::is_foreign(site);
  Metadata& m = plan.metadata;
  m.provider = site.category;
  if (m.provider.empty() && !plan.is_foreign) {
    m.provider = event.segment->service.empty() ? "Ringside" : event.segment->service;
  }
  m.event_name = plan.is_foreign ? site.name : event_name(site);
  m.keywords = site.keywords;
  m.level = level_number(site.level);
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Field& field = site.fields[i];
    const trace::Value& value = event.record.args[i];
    if (plan.is_foreign && take_fact(field, value, i, plan)) continue;
    const FieldType type = field.is_array ? shm::array_of(field.type) : field.type;
    m.fields.push_back(described(field.name, type));
    Step& step = plan.steps.emplace_back(Step{i, type});
    if (field.is_constant()) append_value(step.constant.emplace(), value, report);
  }
  if (plan.is_foreign && m.event_name == name_of_nameless(m.event_id)) m.event_name.clear();
  if (plan.is_foreign) plan.leave_out_what_is_known(site);
  return plan;
}

// For an event of the runtime: a NetTrace file contains neither its name nor its fields.
void EventPlan::leave_out_what_is_known(const trace::Site& site) {
  auto known = find_manifest_event(metadata.provider, metadata.event_id, metadata.version);
  if (!known) return;
  if (metadata.event_name == known->name) metadata.event_name.clear();
  if (metadata.opcode == known->opcode) metadata.opcode.reset();
  const std::vector<FieldDefinition> columns = known->columns();
  const bool same = std::equal(
      columns.begin(), columns.end(), steps.begin(), steps.end(),
      [&, index = std::size_t{0}](const FieldDefinition& column, const Step& step) mutable {
        return step.field == index++ && column.type == step.type && !step.constant &&
               column.name == site.fields[step.field].name;
      });
  if (!same) return;
  metadata.fields.clear();
  manifest = std::make_shared<const ManifestEvent>(std::move(*known));
}

std::size_t extension_index(std::uint32_t ext_flags) {
  return ((ext_flags & shm::kExtSubstream) != 0 ? 1U : 0U) +
         ((ext_flags & shm::kExtStack) != 0 ? 2U : 0U) +
         ((ext_flags & shm::kExtDuration) != 0 ? 4U : 0U) +
         ((ext_flags & shm::kExtCut) != 0 ? 8U : 0U);
}

void append_payload(const EventPlan& plan, const trace::Event& event, std::string& out,
                    ConversionReport& report) {
  const trace::Record& record = event.record;
  if (plan.manifest != nullptr) {
    // Facts come after the fields.
    append_manifest_payload(*plan.manifest, std::span(record.args).first(plan.steps.size()), out,
                            report);
  }
  for (const EventPlan::Step& step : plan.steps) {
    if (plan.manifest != nullptr) break;
    if (step.constant) {
      out += *step.constant;
    } else {
      append_value(out, record.args[step.field], report);
    }
  }
  if (plan.payload != kNoField) out += record.args[plan.payload].text;
  if (plan.extra != kNoField) out += record.args[plan.extra].text;
  if (plan.is_foreign || (record.ext_flags & kPayloadExtensions) == 0) return;
  if ((record.ext_flags & shm::kExtSubstream) != 0) append_number(out, record.substream);
  if ((record.ext_flags & shm::kExtStack) != 0) append_number(out, record.stack_id);
  if ((record.ext_flags & shm::kExtDuration) != 0) {
    append_number(out, has_duration(event) ? duration_ns(event) : std::uint64_t{0});
  }
}

std::string metadata_payload(const Metadata& metadata, std::string_view site) {
  std::string out;
  append_name(out, metadata.provider);
  append_number(out, metadata.event_id);
  append_name(out, metadata.event_name);
  append_number(out, metadata.keywords);
  append_number(out, metadata.version);
  append_number(out, metadata.level);
  const bool v2 = std::any_of(metadata.fields.begin(), metadata.fields.end(), needs_v2);
  append_fields(out, v2 ? std::vector<MetadataField>() : metadata.fields, false);
  if (metadata.opcode) {
    append_tag(out, kTagOpcode, {reinterpret_cast<const char*>(&*metadata.opcode), 1});
  }
  if (v2) {
    std::string fields;
    append_fields(fields, metadata.fields, true);
    append_tag(out, kTagV2Fields, fields);
  }
  if (!site.empty()) append_tag(out, kTagRingsideSite, site);
  if (metadata.names_threads) append_tag(out, kTagRingsideThreadName, {});
  return out;
}

}  // namespace ringside::tool::nettrace
