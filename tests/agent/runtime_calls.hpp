#pragma once
// Calls of <ringside/runtime_statement.h> with the types of C++.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libagent/include/ringside/runtime_statement.h"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {

using RecordValues = std::vector<std::string>;
using FieldTypeCodes = std::vector<std::uint8_t>;

inline rs_runtime_statement statement_of(std::uint32_t style, std::string_view format,
                                         std::string_view names, const FieldTypeCodes& types) {
  rs_runtime_statement statement{};
  statement.struct_bytes = sizeof statement;
  statement.level = RS_LEVEL_INFO;
  statement.style = style;
  statement.format = format.data();
  statement.format_bytes = format.size();
  statement.names = names.data();
  statement.names_bytes = names.size();
  statement.types = types.data();
  statement.type_count = types.size();
  return statement;
}

inline std::int32_t registered(std::uint32_t style, std::string_view format, std::string_view names,
                               const FieldTypeCodes& types) {
  const rs_runtime_statement statement = statement_of(style, format, names, types);
  return rs_statement_register(&statement);
}

inline rs_value integer(rs_value_type type, std::int64_t integer) {
  rs_value value{};
  value.type = type;
  value.integer = integer;
  return value;
}

inline rs_value number(rs_value_type type, double number) {
  rs_value value{};
  value.type = type;
  value.number = number;
  return value;
}

inline rs_value text(std::string_view text, rs_value_type type = RS_VALUE_TEXT) {
  rs_value value{};
  value.type = type;
  value.data = text.data();
  value.bytes = text.size();
  return value;
}

inline std::int32_t record_values(std::int32_t handle, const std::vector<rs_value>& values) {
  return rs_statement_record(handle, values.data(), static_cast<std::uint32_t>(values.size()));
}

inline std::vector<RecordValues> recorded_values() {
  std::vector<RecordValues> all;
  for (const Record& r : own_segment().data(own_segment().my_ring())) all.push_back(r.values);
  return all;
}

inline std::int32_t one_field(rs_value_type type) {
  return registered(RS_FORMAT_EVENT, "one", "", {static_cast<std::uint8_t>(type)});
}

}  // namespace ringside::test
