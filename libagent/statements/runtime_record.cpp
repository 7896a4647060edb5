// Records of statements that were registered at run time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string.h>
#include <string_view>

#include "libagent/include/ringside/runtime_call.hpp"
#include "libagent/statements/runtime_statements.hpp"
#include "libagent/statements/span_record.hpp"
#include "libagent/statements/value_piece.hpp"
#include "shm-layout/field_type.hpp"

namespace ringside {
namespace {

// Where the bytes of an argument go that is a number. It must outlive the piece.
using ArgumentPlace = std::array<unsigned char, RS_X87_BYTES>;

// An argument of a macro, for a field whose type its conversion may have changed.
void convert_argument(const rs_value& value, shm::FieldType type, std::uint64_t limit,
                      ArgumentPlace* number, rs_piece* piece) {
  if (type == shm::FieldType::string) {
    const auto* const text = static_cast<const char*>(value.data);
    const std::string_view null = limit < 6 ? "" : "(null)";  // as glibc prints it
    piece->data = text != nullptr ? text : null.data();
    std::uint64_t bytes = value.bytes;
    if (bytes == RS_VALUE_TERMINATED) {
      bytes = text != nullptr ? strnlen(text, limit) : null.size();
    }
    piece->bytes = static_cast<std::uint32_t>(std::min(bytes, limit));
    piece->form = RS_PIECE_TEXT;
    return;
  }
  piece->data = number->data();
  piece->bytes = static_cast<std::uint32_t>(shm::fixed_size(type));
  piece->form = RS_PIECE_PLAIN;
  if (type == shm::FieldType::f80) {
    rs_store_x87(number->data(), value.data);
  } else if (piece->bytes > number->size()) {
    piece->data = value.data;
  } else if (type == shm::FieldType::f32) {
    const auto narrow = static_cast<float>(value.number);
    std::memcpy(number->data(), &narrow, sizeof narrow);
  } else if (type == shm::FieldType::f64) {
    std::memcpy(number->data(), &value.number, sizeof value.number);
  } else {
    std::memcpy(number->data(), &value.integer, sizeof value.integer);  // the low bytes first
  }
}

// For up to `kRoom` fields: statements with few need little of the stack.
template <std::size_t kRoom>
[[gnu::noinline]] void record_formatted(rs_site* site, std::uint8_t state,
                                        const RuntimeStatement* statement,
                                        std::span<const rs_value> given, const char* format,
                                        std::uint64_t format_bytes) {
  std::span<const shm::PrintfField> conversions;
  if (statement != nullptr) conversions = statement->checked.conversions;
  std::array<rs_piece, kRoom> pieces;
  std::array<ArgumentPlace, kRoom> numbers;
  auto count = static_cast<std::uint32_t>(given.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto type = static_cast<shm::FieldType>(site->signature->types[i]);
    convert_argument(given[i], type, text_limit(conversions, i, given), &numbers[i], &pieces[i]);
  }
  if (statement == nullptr) {
    const rs_value text{shm::code(shm::FieldType::string), 0, 0, format, format_bytes};
    convert_argument(text, shm::FieldType::string, std::numeric_limits<std::uint32_t>::max(),
                     &numbers[count], &pieces[count]);
    ++count;
  }
  rs_record_pieces(site, state, pieces.data(), count);
}

// `begin`: of a span; other statements ignore it.
template <std::size_t kRoom>
[[gnu::noinline]] std::int32_t record_statement(RuntimeStatement& statement, std::uint8_t state,
                                                std::uint64_t begin,
                                                std::span<const rs_value> given) {
  std::array<rs_piece, kRoom> pieces;
  std::array<NumberPlace, kRoom> numbers;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto type = static_cast<shm::FieldType>(statement.signature.types[i]);
    const std::uint64_t limit = text_limit(statement.checked.conversions, i, given);
    if (!convert_value(given[i], type, limit, &numbers[i], &pieces[i])) return RS_REFUSED_VALUE;
  }
  const auto count = static_cast<std::uint32_t>(given.size());
  if (is_span(statement)) {
    record_span_pieces(&statement.site, state, begin, pieces.data(), count);
  } else {
    rs_record_pieces(&statement.site, state, pieces.data(), count);
  }
  return 1;
}

std::int32_t record_statement(RuntimeStatement& statement, std::uint8_t state, std::uint64_t begin,
                              std::span<const rs_value> given) {
  return given.size() <= RS_FEW_FIELDS
             ? record_statement<RS_FEW_FIELDS>(statement, state, begin, given)
             : record_statement<RS_MAX_FIELDS>(statement, state, begin, given);
}

std::int32_t record_checked(std::int32_t handle, bool wants_span, std::uint64_t begin,
                            const rs_value* values, std::uint32_t count) {
  RuntimeStatement* const statement = runtime_statement(handle);
  if (statement == nullptr) return RS_REFUSED_HANDLE;
  if (is_span(*statement) != wants_span) return RS_REFUSED_SPAN;
  if (count != statement->signature.count) return RS_REFUSED_COUNT;
  if (values == nullptr && count != 0) return RS_REFUSED_POINTER;
  if (wants_span && begin == 0) return 0;
  const std::uint8_t state = rs_site_enabled(&statement->site);
  if (state == RS_SWITCH_OFF) return 0;
  return record_statement(*statement, state, begin, {values, count});
}

}  // namespace
}  // namespace ringside

void rs_record_formatted(rs_site* site, std::uint8_t state, std::int32_t handle,
                         const rs_value* values, std::uint32_t count, const char* format,
                         std::uint64_t format_bytes) {
  using namespace ringside;
  const RuntimeStatement* const statement = runtime_statement(handle);
  const std::span given(values, count);
  if (count < RS_FEW_FIELDS) {  // the format may be one more
    record_formatted<RS_FEW_FIELDS>(site, state, statement, given, format, format_bytes);
  } else {
    record_formatted<RS_MAX_FIELDS>(site, state, statement, given, format, format_bytes);
  }
}

std::int32_t rs_statement_enabled(std::int32_t handle) {
  ringside::RuntimeStatement* const statement = ringside::runtime_statement(handle);
  if (statement == nullptr) return RS_REFUSED_HANDLE;
  return rs_site_enabled(&statement->site) != RS_SWITCH_OFF ? 1 : 0;
}

std::int32_t rs_statement_record(std::int32_t handle, const rs_value* values, std::uint32_t count) {
  return ringside::record_checked(handle, false, 0, values, count);
}

std::uint64_t rs_span_begin(std::int32_t handle) {
  ringside::RuntimeStatement* const statement = ringside::runtime_statement(handle);
  if (statement == nullptr || !ringside::is_span(*statement)) return 0;
  return rs_site_enabled(&statement->site) != RS_SWITCH_OFF ? rs_clock() : 0;
}

std::int32_t rs_span_record(std::int32_t handle, std::uint64_t begin, const rs_value* values,
                            std::uint32_t count) {
  return ringside::record_checked(handle, true, begin, values, count);
}

const char* rs_refusal_text(std::int32_t result) {
  switch (result) {
    case RS_REFUSED_POINTER:
      return "a pointer is null, but its length or count is not 0";
    case RS_REFUSED_STRUCT:
      return "struct_bytes is too small: set it to the size of the struct";
    case RS_REFUSED_LEVEL:
      return "invalid level: use 1 (trace) to 7 (critical)";
    case RS_REFUSED_STYLE:
      return "invalid style: use 0 (event), 1 (printf), 2 (brace), 3 (span) or 4 (counter)";
    case RS_REFUSED_TEXT:
      return "a text has a NUL character, or the texts have more than 16384 bytes";
    case RS_REFUSED_FORMAT:
      return "invalid format, or the name of an event, a span or a counter is empty";
    case RS_REFUSED_TYPES:
      return "a type is unknown, or the format requires other types or another number of them";
    case RS_REFUSED_NAMES:
      return "not one valid name for each field";
    case RS_REFUSED_CAPACITY:
      return "the process has 4096 such statements: put what varies into values, not into formats";
    case RS_REFUSED_MEMORY:
      return "no memory for the statement";
    case RS_REFUSED_HANDLE:
      return "invalid handle: use one that rs_statement_register returned";
    case RS_REFUSED_COUNT:
      return "not as many values as the statement has fields";
    case RS_REFUSED_VALUE:
      return "a value has another type than its field, or is out of range";
    case RS_REFUSED_SPAN:
      return "use rs_span_record for statements of style span, and rs_statement_record for others";
    default:
      return "";
  }
}
