// The compile-time check of the C++ front end against the reader: it accepts no format that the
// reader refuses, and refuses no other, except one that has no effect.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "shm-layout/brace_fit.hpp"
#include "shm-layout/brace_parser.hpp"
#include "shm-layout/field_type_name.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

bool front_end_accepts(std::string_view format, std::span<const FormatField> fields) {
  shm::BraceParser parser{shm::FormatText(format)};
  shm::BraceArgument argument;
  shm::BraceSpec spec;
  while (parser.next(argument)) {
    if (argument.is_named || argument.number >= fields.size()) return false;
    const FieldType type = fields[argument.number].type;
    if (!parser.read_spec(shm::is_array(type), spec)) return false;
    if (shm::fit(spec, type) != shm::BraceFit::fits) return false;
    for (const shm::BraceArgument& size : {spec.width_argument, spec.precision_argument}) {
      if (!size.is_present) continue;
      if (size.number >= fields.size() || !shm::is_integer(fields[size.number].type)) return false;
    }
  }
  return parser.error() == shm::BraceError::none;
}

TEST(CompileTimeCheck, AcceptsWhatTheReaderAccepts) {
  constexpr std::string_view kTypes("\0aAbBcdeEfFgGopsxX?Z", 20);
  int accepted = 0;
  int compared = 0;
  const auto compare = [&](FieldType type, const std::string& spec) {
    const FormatField fields[] = {{"v", type}, {"x", FieldType::i32}, {"y", FieldType::u8}};
    const std::string format = "{{ {" + spec + "} }}";
    const bool reader =
        MessageFormat::parse(shm::FormatStyle::brace, format, fields, nullptr).has_value();
    const bool front_end = front_end_accepts(format, fields);
    // {fmt} ignores the 0 after an alignment.
    const bool has_no_effect =
        shm::element_type(type) == FieldType::character &&
        (spec.find("<0") != std::string::npos || spec.find(">0") != std::string::npos ||
         spec.find("^0") != std::string::npos);
    EXPECT_TRUE(front_end == reader || (reader && has_no_effect))
        << shm::name(type) << " " << format << ": reader " << reader;
    accepted += reader ? 1 : 0;
    ++compared;
  };
  for (std::uint8_t code = 1; code <= shm::kLastFieldType; ++code) {
    for (const char* const before : {"", "<", "*^", "é>", "{<", "n"}) {
      for (const char* const sign : {"", "+", "-", " "}) {
        for (const char* const number : {"", "#", "0", "#0"}) {
          for (const char* const sizes :
               {"", "7", "{}", "4096", ".3", ".{}", ".", "7.2L", "{}.{}"}) {
            for (const char type : kTypes) {
              std::string spec = std::string(before) + sign + number + sizes;
              if (type != '\0') spec.push_back(type);
              const auto element = static_cast<FieldType>(code);
              compare(element, ":" + spec);
              compare(shm::array_of(element), "::" + spec);
              compare(shm::array_of(element), ":n:" + spec);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, compared / 20);
  EXPECT_LT(accepted, compared / 2);
}

TEST(CompileTimeCheck, RefusesWhatTheReaderRefuses) {
  const FormatField fields[] = {{"v", FieldType::i32}, {"x", FieldType::i32}};
  for (const char* const format :
       {"{", "}", "{}}", "{{}", "{:", "{:d", "{0} {}", "{} {0}", "{2}", "{-1}", "{:{}", "{:{}{}}",
        "{v", "{ }", "{: d}x{", "{01}", "{}{}{}"}) {
    EXPECT_FALSE(MessageFormat::parse(shm::FormatStyle::brace, format, fields, nullptr)) << format;
    EXPECT_FALSE(front_end_accepts(format, fields)) << format;
  }
  for (const char* const format :
       {"", "{{", "}}", "{}", "{}{}", "{1}{0}{1}", "{:{}}", "{0:{1}}", "{:é>5}"}) {
    EXPECT_TRUE(MessageFormat::parse(shm::FormatStyle::brace, format, fields, nullptr)) << format;
    EXPECT_TRUE(front_end_accepts(format, fields)) << format;
  }
}

}  // namespace
}  // namespace ringside::trace
