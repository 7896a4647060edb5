#include "tools/interop/perfetto/perfetto_printf_types.hpp"

#include <cstdint>
#include <cstring>

#include "shm-layout/printf_fields.hpp"

namespace ringside::tool::perfetto {
namespace {

using shm::FieldType;

bool is_convertible(FieldType from, FieldType to) {
  if (from == to) return true;
  using enum FieldType;
  switch (from) {
    case i64:
    case u64:
      return to == i8 || to == i16 || to == i32 || to == i64 || to == u8 || to == u16 ||
             to == u32 || to == u64;
    case string:
      return to == character;
    default:
      return false;
  }
}

std::size_t stored_bytes(FieldType type, std::string_view values) {
  if (shm::is_array(type)) {
    std::uint32_t count = 0;
    std::memcpy(&count, values.data(), sizeof count);
    const FieldType element = shm::element_type(type);
    std::size_t bytes = sizeof count;
    for (std::uint32_t i = 0; i < count; ++i) {
      bytes += stored_bytes(element, values.substr(bytes));
    }
    return bytes;
  }
  if (!shm::is_variable_length(type)) return shm::fixed_size(type);
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, values.data(), sizeof bytes);
  return sizeof bytes + bytes;
}

}  // namespace

bool take_printf_types(SiteDefinition& definition) {
  const shm::FieldList wanted = shm::printf_fields(definition.format);
  if (!wanted.ok() || wanted.count != definition.fields.size()) return false;
  for (std::uint32_t i = 0; i < wanted.count; ++i) {
    if (!is_convertible(definition.fields[i].type, widest_type(wanted[i]))) return false;
  }
  for (std::uint32_t i = 0; i < wanted.count; ++i) {
    definition.fields[i].type = widest_type(wanted[i]);
    definition.fields[i].is_format_argument = wanted[i].role != shm::PrintfRole::value;
  }
  return true;
}

void convert_values(const std::vector<ArgumentField>& from, const std::vector<FieldDefinition>& to,
                    std::string_view values, trace::TextSink& out) {
  out.clear();
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i) {
    const std::size_t bytes = stored_bytes(from[i].type, values);
    const std::string_view value = values.substr(0, bytes);
    values.remove_prefix(bytes);
    if (from[i].type == to[i].type) {
      out.write(value);
    } else if (from[i].type == FieldType::string) {
      out.put(value.size() > sizeof(std::uint32_t) ? value[sizeof(std::uint32_t)] : '\0');
    } else {
      out.write(value.substr(0, shm::fixed_size(to[i].type)));  // little-endian
    }
  }
}

}  // namespace ringside::tool::perfetto
