// The text of a site's messages: prepared once per site, then appended once per record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "shm-layout/format_style.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

class BraceConversion;
struct BraceSpec;
struct ConversionAlphabet;

struct FormatField {
  std::string_view name;
  shm::FieldType type = shm::FieldType::none;
};

// Owns all its data. Immutable after creation: any number of threads may append with one object.
class MessageFormat {
 public:
  // A printf format whose recorded fields (shm::printf_fields) must suit `fields`
  // (shm::records_as). Format and
  // fields are untrusted. Returns nullopt and the reason in *why (which may be null) if they are
  // rejected.
  static std::optional<MessageFormat> parse(std::string_view format,
                                            std::span<const shm::FieldType> fields,
                                            std::string* why);

  // The same for any style. With FormatStyle::none the text is unchanged and the fields follow it
  // as " name=value". With FormatStyle::brace the fields are the arguments of fmt::format; those
  // that no placeholder uses are not part of the text.
  static std::optional<MessageFormat> parse(shm::FormatStyle style, std::string_view format,
                                            std::span<const FormatField> fields, std::string* why);

  // Appends the text that snprintf would write in the C locale (UTF-8 for wide strings), or
  // fmt::format. `args`: the record's values in the order of the fields. If one is missing or has
  // another type, the text shows <?> in place of that conversion. Memory grows by at most the
  // arguments' texts and 16 KiB per conversion (1 MiB for an array in brace style): widths and
  // precisions in arguments are limited to 4095, which is the one deviation from snprintf.
  void append(TextSink& out, std::span<const Value> args) const;
  void append(std::string& out, std::span<const Value> args) const;

  // Whether the text has no arguments: it is the same for all records.
  bool is_fixed() const { return conversions_.empty(); }

 private:
  friend class MessageLiteral;

  enum class Render : std::uint8_t {
    plain_signed,  // no flags, width or precision: the fast ones
    plain_unsigned,
    plain_hex,
    plain_character,
    plain_string,
    plain_fixed,  // %f or %.<digit>f
    signed_integer,
    unsigned_integer,
    character,
    string,
    pointer,
    floating,
    library_double,
    library_long_double,
    shortest_float,
    shortest_double,
    brace,
    any_value,
  };

  static constexpr std::uint16_t kNoArgument = 0xffff;

  struct Conversion {
    std::uint32_t text_end = 0;   // in text_: the end of the text since the preceding conversion
    std::int32_t width = 0;       // negative: left-justified, as in an argument
    std::int32_t precision = -1;  // -1: none
    std::uint16_t argument = kNoArgument;
    std::uint16_t width_argument = kNoArgument;
    std::uint16_t precision_argument = kNoArgument;
    Render render = Render::any_value;
    shm::FieldType type = shm::FieldType::none;
    std::uint8_t flags = 0;
    char conversion = 0;
    bool wide = false;
    char library_spec[13] = {};              // NUL-terminated
    const BraceConversion* brace = nullptr;  // one of braces_
  };

  static std::optional<MessageFormat> parse_fixed_text(std::string_view text,
                                                       std::span<const FormatField> fields,
                                                       std::string* why);
  static std::optional<MessageFormat> parse_brace(std::string_view format,
                                                  std::span<const FormatField> fields,
                                                  std::string* why);
  static Render choose_render(const Conversion& conversion);
  static Render choose_brace_render(const BraceSpec& spec, Conversion& conversion);
  static void prepare_library_spec(Conversion& conversion);
  static void write(TextSink& sink, const Conversion& conversion, std::span<const Value> args);
  static void write_styled(TextSink& sink, const Conversion& conversion, const Value& value,
                           std::span<const Value> args);
  static ConversionAlphabet alphabet_of(const Conversion& conversion);
  void finish_text();

  std::string text_;  // all text pieces, then TextSink::kSlack bytes
  std::uint32_t text_bytes_ = 0;
  std::vector<Conversion> conversions_;
  std::shared_ptr<const std::vector<BraceConversion>> braces_;
};

}  // namespace ringside::trace
