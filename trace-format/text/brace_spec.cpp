#include "trace-format/text/brace_spec.hpp"

#include <algorithm>
#include <cstddef>

#include "shm-layout/field_type_name.hpp"

namespace ringside::trace {
namespace {

using shm::FieldType;

bool is_decimal(char character) {
  return character >= '0' && character <= '9';
}

bool is_name_start(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         character == '_';
}

// Bytes of the UTF-8 character at the beginning of `text`; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80   ? 1
                            : first < 0xc2 ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return bytes;
}

BraceAlignment alignment_of(char character) {
  switch (character) {
    case '<':
    case '>':
    case '^':
      return static_cast<BraceAlignment>(character);
    default:
      return BraceAlignment::none;
  }
}

class BraceParser {
 public:
  BraceParser(std::string_view format, std::span<const FormatField> fields)
      : format_(format), fields_(fields) {}

  std::optional<BraceFormat> parse(std::string* why) {
    if (format_.size() > kMaxBraceFormatBytes) fail("the format exceeds 65536 bytes");
    while (reason_.empty() && at_ < format_.size()) step();
    if (reason_.empty()) return std::move(result_);
    if (why != nullptr) *why = "format, byte " + std::to_string(at_) + ": " + reason_;
    return std::nullopt;
  }

 private:
  enum class Numbering : char { none, automatic, manual };

  void step() {
    const std::size_t brace = std::min(format_.find_first_of("{}", at_), format_.size());
    result_.text.append(format_.substr(at_, brace - at_));
    at_ = brace;
    if (at_ == format_.size()) return;
    const char character = format_[at_];
    if (at_ + 1 < format_.size() && format_[at_ + 1] == character) {
      result_.text.push_back(character);
      at_ += 2;
    } else if (character == '}') {
      fail("'}' without '{'; write \"}}\" for a brace");
    } else {
      placeholder();
    }
  }

  void placeholder() {
    if (result_.placeholders.size() == kMaxPlaceholders) {
      return fail("more than " + std::to_string(kMaxPlaceholders) + " placeholders");
    }
    Placeholder found;
    found.begin = at_++;
    if (!argument(found.argument)) return;
    const bool is_array = shm::is_array(fields_[found.argument].type);
    if (!take(':')) {
      if (is_array) add_default_of_elements(found);
    } else if (is_array) {
      array_spec(found);
    } else {
      spec(found.spec);
    }
    if (!reason_.empty()) return;
    if (peek() != '}') return fail("expected '}' at the end of the placeholder");
    found.end = ++at_;
    result_.text_ends.push_back(result_.text.size());
    result_.placeholders.push_back(std::move(found));
  }

  // [n][:element's specification]
  void array_spec(Placeholder& found) {
    found.without_brackets = take('n');
    if (take(':')) return spec(found.spec);
    if (peek() != '}') return fail("expected 'n', or ':' and a specification of the elements");
    add_default_of_elements(found);
  }

  void add_default_of_elements(Placeholder& found) const {
    const FieldType element = shm::element_type(fields_[found.argument].type);
    if (element == FieldType::string || element == FieldType::character) found.spec.type = '?';
  }

  void spec(BraceSpec& spec) {
    alignment(spec);
    if (!reason_.empty()) return;
    const char sign = peek();
    if (sign == '+' || sign == '-' || sign == ' ') spec.sign = format_[at_++];
    spec.alternate = take('#');
    spec.zero = take('0');
    if (!number_or_argument(spec.width, spec.width_argument)) return;
    if (take('.')) {
      if (!is_decimal(peek()) && peek() != '{') return fail("a precision is missing after '.'");
      if (!number_or_argument(spec.precision, spec.precision_argument)) return;
    }
    spec.localized = take('L');
    const char type = peek();
    if (type == '\0' || type == '}') return;
    if (std::string_view("aAbBcdeEfFgGopsxX?").find(type) == std::string_view::npos) {
      return fail("invalid specification");
    }
    spec.type = type;
    ++at_;
  }

  void alignment(BraceSpec& spec) {
    const std::size_t fill = character_bytes(format_.substr(at_));
    if (fill != 0 && at_ + fill < format_.size() && peek() != '}') {
      spec.alignment = alignment_of(format_[at_ + fill]);
      if (spec.alignment != BraceAlignment::none) {
        if (peek() == '{') return fail("'{' cannot be a fill character");
        spec.fill = format_.substr(at_, fill);
        at_ += fill + 1;
        return;
      }
    }
    spec.alignment = alignment_of(peek());
    if (spec.alignment != BraceAlignment::none) ++at_;
  }

  // Both are optional. False after an error.
  bool number_or_argument(std::int32_t& number, std::uint16_t& from) {
    if (is_decimal(peek())) {
      number = 0;
      const std::size_t begin = at_;
      for (; is_decimal(peek()); ++at_) {
        number = number * 10 + (peek() - '0');
        if (number > kMaxBraceWidth) {
          at_ = begin;
          fail("a width or precision exceeds " + std::to_string(kMaxBraceWidth));
          return false;
        }
      }
      return true;
    }
    if (peek() != '{') return true;
    const std::size_t begin = at_++;
    if (!argument(from)) return false;
    if (peek() != '}') {
      fail("expected '}' at the end of the width or precision");
      return false;
    }
    ++at_;
    if (shm::is_integer(fields_[from].type)) return true;
    at_ = begin;
    fail("a width or precision from field " + std::to_string(from) + ", which is " +
         std::string(shm::name(fields_[from].type)) + " instead of an integer");
    return false;
  }

  // Nothing (the next one), a number or a name; false after an error.
  bool argument(std::uint16_t& index) {
    const std::size_t begin = at_;
    if (peek() == '}' || peek() == ':')
      return numbered(begin, next_++, Numbering::automatic, index);
    if (is_decimal(peek())) {
      std::size_t number = 0;
      if (peek() == '0') {
        ++at_;
      } else {
        for (; is_decimal(peek()); ++at_)
          number =
              std::min(number * 10 + static_cast<std::size_t>(peek() - '0'), kMaxBraceFormatBytes);
      }
      return numbered(begin, number, Numbering::manual, index);
    }
    if (!is_name_start(peek())) {
      fail("expected a position, a name, ':' or '}'");
      return false;
    }
    while (is_name_start(peek()) || is_decimal(peek())) ++at_;
    const std::string_view name = format_.substr(begin, at_ - begin);
    for (std::size_t i = 0; i < fields_.size() && i < BraceSpec::kNoArgument; ++i) {
      if (fields_[i].name != name) continue;
      index = static_cast<std::uint16_t>(i);
      return true;
    }
    at_ = begin;
    fail("no field has the name \"" + std::string(name) + "\"");
    return false;
  }

  bool numbered(std::size_t begin, std::size_t number, Numbering numbering, std::uint16_t& index) {
    if (numbering_ != Numbering::none && numbering_ != numbering) {
      at_ = begin;
      fail("both positions and automatic numbering");
      return false;
    }
    numbering_ = numbering;
    if (number >= fields_.size() || number >= BraceSpec::kNoArgument) {
      at_ = begin;
      fail("position " + std::to_string(number) + ", but the site has " +
           std::to_string(fields_.size()) + " fields");
      return false;
    }
    index = static_cast<std::uint16_t>(number);
    return true;
  }

  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool take(char character) {
    if (peek() != character) return false;
    ++at_;
    return true;
  }
  void fail(std::string reason) { reason_ = std::move(reason); }

  std::string_view format_;
  std::span<const FormatField> fields_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;  // of automatic numbering
  Numbering numbering_ = Numbering::none;
  std::string reason_;
  BraceFormat result_;
};

}  // namespace

std::optional<BraceFormat> parse_brace_format(std::string_view format,
                                              std::span<const FormatField> fields,
                                              std::string* why) {
  return BraceParser(format, fields).parse(why);
}

}  // namespace ringside::trace
