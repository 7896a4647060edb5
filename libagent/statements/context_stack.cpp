// Content, one field after the other, the outermost context first:
//   u8 type   u8 name_bytes   u16 value_bytes   name   value (as in a record, texts without length)

#include "libagent/statements/context_stack.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "libagent/statements/runtime_statements.hpp"
#include "libagent/statements/value_piece.hpp"
#include "shm-layout/task_fields.hpp"

namespace ringside {
namespace {

constexpr std::size_t kFieldHeadBytes = 4;
constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostValueBytes = 128;
constexpr std::size_t kMostFields = RS_MAX_CONTEXT_FIELDS + shm::kTaskFields;
static_assert(sizeof(rs_captured_context::content) == sizeof(ContextStack::content));

// Of the text's first `limit` bytes, those that are whole characters.
std::size_t whole_characters(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text.size();
  std::size_t end = limit;
  while (end > 0 && limit - end < 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return end;
}

struct StoredField {
  shm::FieldType type{};
  std::string_view name;
  std::string_view value;
};

StoredField read_field(std::span<const std::byte> content, std::size_t* at) {
  const std::byte* const p = content.data() + *at;
  std::uint16_t value_bytes = 0;
  std::memcpy(&value_bytes, p + 2, sizeof value_bytes);
  const auto name_bytes = static_cast<std::size_t>(p[1]);
  const auto* const text = reinterpret_cast<const char*>(p + kFieldHeadBytes);
  *at += kFieldHeadBytes + name_bytes + value_bytes;
  return {static_cast<shm::FieldType>(p[0]), {text, name_bytes}, {text + name_bytes, value_bytes}};
}

using FieldsInForce = std::array<StoredField, kMostFields>;

// The fields in force: an inner one takes the place of an outer one of the same name. Nothing if
// there are too many.
std::optional<std::size_t> fields_in_force(const ContextStack& stack, FieldsInForce* fields) {
  const std::span content(stack.content);
  const std::size_t most = RS_MAX_CONTEXT_FIELDS + (stack.task_bytes != 0 ? shm::kTaskFields : 0);
  std::size_t count = 0;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < stack.fields; ++i) {
    const StoredField field = read_field(content, &at);
    const auto end = fields->begin() + static_cast<std::ptrdiff_t>(count);
    const auto same = std::find_if(fields->begin(), end,
                                   [&](const StoredField& f) { return f.name == field.name; });
    if (same == end && count++ == most) return std::nullopt;
    *same = field;
  }
  return count;
}

rs_site* statement_of(std::span<const StoredField> fields) {
  std::array<char, kMostFields*(kMostNameBytes + 1)> names;
  std::array<char, kMostFields> types;
  std::size_t name_bytes = 0;
  std::size_t count = 0;
  for (const StoredField& field : fields) {
    if (count != 0) names[name_bytes++] = ',';
    std::memcpy(names.data() + name_bytes, field.name.data(), field.name.size());
    name_bytes += field.name.size();
    types[count++] = static_cast<char>(shm::code(field.type));
  }
  RuntimeDescription description;
  description.format = "ringside.context";
  description.category = "ringside";
  description.names = {names.data(), name_bytes};
  description.types = {types.data(), count};
  description.level = RS_LEVEL_CRITICAL;
  description.style = kContextStyle;
  const std::int32_t handle = find_or_add_runtime_statement(description);
  return handle > 0 ? &runtime_statement(handle)->site : nullptr;
}

// A name of several fields, in the list of a statement, must not look like two.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes) return false;
  if (name.front() == ' ' || name.back() == ' ') return false;
  const bool is_of_task =
      name == shm::kTaskNameField || name == shm::kTaskIdField || name == shm::kTaskStepField;
  if (is_of_task) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == ',' || c == '"' || c == '\\';
  });
}

// Writes the arguments of the fields' record. Texts are cut to what is left.
std::uint32_t store_arguments(std::span<const StoredField> fields, std::byte* out) {
  std::size_t needed = 0;  // by the rest, with empty texts
  for (const StoredField& field : fields) {
    const bool is_text = shm::is_variable_length(field.type);
    needed += is_text ? sizeof(std::uint32_t) : field.value.size();
  }
  std::byte* p = out;
  for (const StoredField& field : fields) {
    std::size_t bytes = field.value.size();
    if (shm::is_variable_length(field.type)) {
      const std::size_t used = static_cast<std::size_t>(p - out);
      bytes = whole_characters(field.value, shm::kMaxOwnContextBytes - used - needed);
      const auto length = static_cast<std::uint32_t>(bytes);
      std::memcpy(p, &length, sizeof length);
      p += sizeof length;
      needed -= sizeof length;
    } else {
      needed -= bytes;
    }
    if (bytes != 0) std::memcpy(p, field.value.data(), bytes);
    p += bytes;
  }
  return static_cast<std::uint32_t>(p - out);
}
static_assert(kMostFields * 8 <= shm::kMaxOwnContextBytes);

// False if there is no room.
bool append_stored(ContextStack* stack, const StoredField& field) {
  std::byte* const p = stack->content.data() + stack->content_bytes;
  const std::size_t bytes = kFieldHeadBytes + field.name.size() + field.value.size();
  if (bytes > stack->content.size() - stack->content_bytes) return false;
  const auto value_bytes = static_cast<std::uint16_t>(field.value.size());
  p[0] = static_cast<std::byte>(shm::code(field.type));
  p[1] = static_cast<std::byte>(field.name.size());
  std::memcpy(p + 2, &value_bytes, sizeof value_bytes);
  std::memcpy(p + kFieldHeadBytes, field.name.data(), field.name.size());
  if (!field.value.empty()) {
    std::memcpy(p + kFieldHeadBytes + field.name.size(), field.value.data(), field.value.size());
  }
  stack->content_bytes += static_cast<std::uint32_t>(bytes);
  ++stack->fields;
  return true;
}

}  // namespace

std::optional<ContextStatement> context_statement_of(const ContextStack& stack) {
  FieldsInForce fields;
  const std::optional<std::size_t> count = fields_in_force(stack, &fields);
  if (!count) return std::nullopt;
  const std::span in_force = std::span(fields).first(*count);
  ContextStatement statement;
  if (*count == 0) return statement;
  statement.site = statement_of(in_force);
  if (statement.site == nullptr) return std::nullopt;
  statement.argument_bytes = store_arguments(in_force, statement.arguments.data());
  return statement;
}

bool has_none_site(ThreadContext* context) {
  if (context->none_site == nullptr) context->none_site = statement_of(std::span<StoredField>());
  return context->none_site != nullptr;
}

std::int32_t append_field(ContextStack* stack, const rs_context_field& field) {
  if (field.name == nullptr) return RS_REFUSED_POINTER;
  const std::string_view name(field.name, field.name_bytes);
  if (!is_name(name)) return RS_REFUSED_NAMES;
  const auto type = static_cast<shm::FieldType>(field.value.type);
  if (field.value.type > shm::kLastFieldType || shm::is_array(type)) return RS_REFUSED_TYPES;
  if (shm::fixed_size(type) > sizeof(std::uint64_t)) return RS_REFUSED_TYPES;
  NumberPlace number;
  rs_piece piece;
  if (!convert_value(field.value, type, UINT32_MAX, &number, &piece)) return RS_REFUSED_VALUE;
  std::string_view value(static_cast<const char*>(piece.data), piece.bytes);
  if (shm::is_variable_length(type)) {
    value = value.substr(0, whole_characters(value, kMostValueBytes));
  }
  return append_stored(stack, {type, name, value}) ? 0 : RS_REFUSED_COUNT;
}

void begin_task(ContextStack* stack, std::string_view name, std::uint64_t id) {
  const auto number = [](const std::uint64_t& value) {
    return std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::uint64_t step = 0;
  name = name.substr(0, whole_characters(name, kMostValueBytes));
  append_stored(stack, {shm::FieldType::string, shm::kTaskNameField, name});
  append_stored(stack, {shm::FieldType::u64, shm::kTaskIdField, number(id)});
  append_stored(stack, {shm::FieldType::u64, shm::kTaskStepField, number(step)});
  stack->task_bytes = stack->content_bytes;
}

void set_task_step(ContextStack* stack, std::uint64_t step) {
  // The last of the task's fields, whose first one is a text.
  std::memcpy(stack->content.data() + stack->task_bytes - sizeof step, &step, sizeof step);
  std::uint32_t name_bytes = 0;
  std::memcpy(&name_bytes, stack->arguments.data(), sizeof name_bytes);
  const std::size_t at = sizeof name_bytes + name_bytes + sizeof(std::uint64_t);
  std::memcpy(stack->arguments.data() + at, &step, sizeof step);
}

}  // namespace ringside
