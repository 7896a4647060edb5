#include "trace-format/text/message_literal.hpp"

#include <algorithm>
#include <utility>

#include "trace-format/text/conversion_alphabet.hpp"
#include "trace-format/text/literal_finder.hpp"

namespace ringside::trace {
namespace {

// The lengths of the literal's beginnings that end at one place of the message, as flags by length.
using Begun = std::vector<bool>;

// Moves over fixed text. True if a begun literal ends in it.
bool pass_text(std::string_view text, std::string_view literal, Begun& begun) {
  Begun next(literal.size());
  for (std::size_t length = 1; length < literal.size(); ++length) {
    if (!begun[length]) continue;
    const std::string_view rest = literal.substr(length);
    const std::size_t common = std::min(rest.size(), text.size());
    if (rest.substr(0, common) != text.substr(0, common)) continue;
    if (common == rest.size()) return true;
    next[length + common] = true;
  }
  for (std::size_t length = 1; length < literal.size() && length <= text.size(); ++length) {
    if (text.substr(text.size() - length) == literal.substr(0, length)) next[length] = true;
  }
  begun = std::move(next);
  return false;
}

// The same for a value of any length that consists of these characters.
bool pass_value(const ConversionAlphabet& alphabet, std::string_view literal, Begun& begun) {
  Begun next(literal.size());
  for (std::size_t length = 0; length < literal.size(); ++length) {
    if (length != 0 && !begun[length]) continue;
    if (length != 0 && alphabet.may_be_empty) next[length] = true;
    for (std::size_t end = length; alphabet.has(literal[end]);) {
      if (++end == literal.size()) {
        if (length != 0) return true;
        break;
      }
      next[end] = true;
    }
  }
  begun = std::move(next);
  return false;
}

}  // namespace

MessageLiteral::MessageLiteral(std::shared_ptr<const MessageFormat> format, std::string literal)
    : format_(std::move(format)), literal_(std::move(literal)) {
  std::uint32_t begin = 0;
  const std::string_view text(format_->text_);
  bool in_text = false;
  for (const auto& conversion : format_->conversions_) {
    in_text =
        in_text || contains_literal(text.substr(begin, conversion.text_end - begin), literal_);
    begin = conversion.text_end;
  }
  in_text = in_text || contains_literal(text.substr(begin, format_->text_bytes_ - begin), literal_);
  if (in_text) {
    answer_ = Answer::kAlways;
    return;
  }
  find_parts();
  whole_ = may_cross_parts();
  if (whole_) return;
  const auto is = [](Part wanted) { return [wanted](Part part) { return part == wanted; }; };
  const bool none = std::all_of(parts_.begin(), parts_.end(), is(Part::kNone));
  const bool formatted = std::any_of(parts_.begin(), parts_.end(), is(Part::kFormatted));
  if (none) {
    answer_ = Answer::kNever;
  } else if (!formatted) {
    answer_ = Answer::kByTexts;
  }
}

void MessageLiteral::find_parts() {
  using Render = MessageFormat::Render;
  parts_.reserve(format_->conversions_.size());
  for (const auto& conversion : format_->conversions_) {
    const ConversionAlphabet alphabet = format_->alphabet_of(conversion);
    const bool possible = std::all_of(literal_.begin(), literal_.end(),
                                      [&](char character) { return alphabet.has(character); });
    const bool is_string = conversion.type == shm::FieldType::string;
    // Cut and padded text: blanks need not be in the value.
    const bool is_cut =
        conversion.render == Render::string && is_string && literal_.find(' ') == std::string::npos;
    if (!possible) {
      parts_.push_back(Part::kNone);
    } else if (conversion.render == Render::plain_string && is_string) {
      parts_.push_back(Part::kText);
    } else {
      parts_.push_back(is_cut ? Part::kCutText : Part::kFormatted);
    }
  }
}

bool MessageLiteral::may_cross_parts() const {
  Begun begun(literal_.size());
  const std::string_view text(format_->text_);
  std::uint32_t begin = 0;
  for (const auto& conversion : format_->conversions_) {
    if (pass_text(text.substr(begin, conversion.text_end - begin), literal_, begun)) return true;
    if (pass_value(format_->alphabet_of(conversion), literal_, begun)) return true;
    begin = conversion.text_end;
  }
  return pass_text(text.substr(begin, format_->text_bytes_ - begin), literal_, begun);
}

bool MessageLiteral::matches(std::span<const Value> args, TextSink& scratch) const {
  if (answer_ == Answer::kAlways || answer_ == Answer::kNever) return answer_ == Answer::kAlways;
  scratch.clear();
  if (whole_) {
    format_->append(scratch, args);
    return contains_literal(scratch.text(), literal_);
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i] == Part::kNone) continue;
    const auto& conversion = format_->conversions_[i];
    const bool is_text = parts_[i] == Part::kText && conversion.argument < args.size() &&
                         args[conversion.argument].type == conversion.type;
    if (is_text) {
      if (contains_literal(args[conversion.argument].text, literal_)) return true;
      continue;
    }
    scratch.clear();
    MessageFormat::write(scratch, conversion, args);
    if (contains_literal(scratch.text(), literal_)) return true;
  }
  return false;
}

}  // namespace ringside::trace
