#pragma once
// Values of ULM, which has no types: an unquoted value that looks like a number is a number.

#include <cstdint>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::ulm {

// i64, u64 (if an i64 cannot hold it) or f64, with its bits; `none` for a text. Numbers have C's
// decimal form, with nan, inf and -inf. A text that would not come back unchanged, such as 007 or
// -0, remains a text.
shm::FieldType number_of(std::string_view text, std::uint64_t& bits);

// As %f, if that reads back equal, else in the shortest form that does.
void put_float(trace::TextSink& line, double number);
void put_float(trace::TextSink& line, float number);
void put_integer(trace::TextSink& line, std::int64_t number);
void put_integer(trace::TextSink& line, std::uint64_t number);

// In quotes if it is empty, a number, or has a blank, a quote, a backslash, '=' or a control
// character; these are written as \" \\ \n \r and \xHH where necessary.
void put_text(trace::TextSink& line, std::string_view text);

}  // namespace ringside::tool::ulm
