#include "libagent/description/statement_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libagent/include/ringside/signature.hpp"
#include "shm-layout/field_type.hpp"

namespace ringside {
namespace {

// How the argument of a field is stored.
enum class Storing : std::uint8_t { refused, inlined, by_format };

bool is_integral(shm::FieldType type) {
  return shm::is_integer(type) || type == shm::FieldType::boolean ||
         type == shm::FieldType::character;
}

// For a statement whose arguments are taken from a va_list, by the format alone.
void read_format(rs_site& site, const shm::FieldList& conversions) {
  for (std::uint32_t i = 0; i < conversions.count; ++i) {
    const shm::PrintfField& wanted = conversions[i];
    site.fields[i] = {static_cast<std::uint8_t>(wanted.type),
                      0,
                      0,
                      static_cast<std::uint8_t>(wanted.wide),
                      wanted.precision_field,
                      wanted.precision_literal};
  }
  site.field_count = static_cast<std::uint8_t>(conversions.count);
}

// An argument of an event.
Storing store_as_given(rs_field& field) {
  const bool is_wide = field.given == RS_GIVEN_WIDE;
  const bool is_text = is_wide || field.given == RS_GIVEN_CONSTANT;
  field.type = is_text ? shm::code(shm::FieldType::string) : field.given;
  field.as_given = 1;
  field.is_wide = is_wide ? 1 : 0;
  return is_wide ? Storing::by_format : Storing::inlined;
}

Storing store_integer(rs_field& field, shm::FieldType given, const shm::PrintfField& wanted) {
  const std::size_t bytes = shm::fixed_size(given);
  const std::size_t promoted_bytes = std::max(bytes, sizeof(int));
  if (bytes > sizeof(std::uint64_t)) return Storing::refused;
  if (wanted.type == shm::FieldType::string) {  // %lc
    return wanted.wide ? Storing::by_format : Storing::refused;
  }
  if (!is_integral(wanted.type)) return Storing::refused;
  const std::size_t wanted_bytes = shm::fixed_size(wanted.type);
  if (wanted_bytes < sizeof(int)) {
    field.as_given = wanted_bytes == bytes ? 1 : 0;
    return field.as_given != 0 ? Storing::inlined : Storing::by_format;
  }
  // Any width fits, but the sign is the conversion's.
  const auto type = detail::integer_field(promoted_bytes, shm::is_signed(wanted.type));
  if (!shm::records_as(wanted, type)) return Storing::refused;
  field.type = shm::code(type);
  return Storing::inlined;
}

Storing store_text(rs_field& field, const shm::PrintfField& wanted) {
  if (wanted.type == shm::FieldType::pointer) return Storing::by_format;
  const bool is_wide = field.given == RS_GIVEN_WIDE;
  if (wanted.type != shm::FieldType::string || wanted.wide != is_wide) return Storing::refused;
  const bool is_whole = wanted.precision_field < 0 && wanted.precision_literal < 0;
  field.as_given = is_whole && !is_wide ? 1 : 0;
  return field.as_given != 0 ? Storing::inlined : Storing::by_format;
}

// An argument of a message.
Storing store_for(rs_field& field, const shm::PrintfField& wanted) {
  field.type = shm::code(wanted.type);
  field.is_wide = wanted.wide ? 1 : 0;
  field.precision_field = wanted.precision_field;
  field.precision_literal = wanted.precision_literal;
  const auto exactly = [&wanted](shm::FieldType type) {
    return wanted.type == type ? Storing::inlined : Storing::refused;
  };
  if (field.given == RS_GIVEN_WIDE) return store_text(field, wanted);
  switch (const auto given = static_cast<shm::FieldType>(field.given)) {
    case shm::FieldType::string:
      return store_text(field, wanted);
    case shm::FieldType::f32:
    case shm::FieldType::f64:
      return exactly(shm::FieldType::f64);
    case shm::FieldType::f80:
      return exactly(shm::FieldType::f80);
    case shm::FieldType::pointer:
      // Compilers accept void* for %s.
      return wanted.type == shm::FieldType::string ? Storing::by_format
                                                   : exactly(shm::FieldType::pointer);
    case shm::FieldType::bytes:
      return Storing::refused;
    default:
      return store_integer(field, given, wanted);
  }
}

}  // namespace

bool complete_fields(rs_site& site, const shm::FieldList* conversions) {
  const std::span fields(site.fields, site.field_count);
  const bool is_known =
      fields.empty() ? (site.flags & RS_SITE_BY_FORMAT) == 0 : fields[0].given != 0;
  if (!is_known && conversions != nullptr) {
    read_format(site, *conversions);
    return true;
  }
  if (conversions != nullptr && conversions->count != fields.size()) return false;
  bool is_by_format = false;
  for (std::uint32_t i = 0; i < fields.size(); ++i) {
    const Storing storing = conversions != nullptr ? store_for(fields[i], (*conversions)[i])
                                                   : store_as_given(fields[i]);
    if (storing == Storing::refused) return false;
    if (storing == Storing::by_format) is_by_format = true;
  }
  if (is_by_format) site.flags |= RS_SITE_BY_FORMAT;
  return true;
}

}  // namespace ringside
