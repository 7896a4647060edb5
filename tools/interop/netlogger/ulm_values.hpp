#pragma once
// Values of ULM, which has no types: what is not in quotes and looks like a number is one.

#include <cstdint>
#include <string_view>

#include "shm-layout/field_type.hpp"
#include "trace-format/text_sink.hpp"

namespace ringside::tool::ulm {

// i64, u64 (what an i64 has no place for) or f64, with its bits; `none` of a text. Numbers are as C
// writes them in decimal, with nan, inf and -inf. What would not come back as it was, such as 007
// or -0, is a text.
shm::FieldType number_of(std::string_view text, std::uint64_t& bits);

// As %f, if that reads back equal, else in the shortest form that does.
void put_float(trace::TextSink& line, double number);
void put_float(trace::TextSink& line, float number);
void put_integer(trace::TextSink& line, std::int64_t number);
void put_integer(trace::TextSink& line, std::uint64_t number);

// In quotes if it is empty, a number, or has a blank, a quote, a backslash, '=' or a control
// character; within them \" \\ \n \r and \xHH stand for what would not.
void put_text(trace::TextSink& line, std::string_view text);

}  // namespace ringside::tool::ulm
