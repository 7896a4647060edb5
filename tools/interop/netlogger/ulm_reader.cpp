#include "tools/interop/netlogger/ulm_reader.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tools/interop/foreign_format.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/netlogger/ulm_format.hpp"
#include "tools/interop/netlogger/ulm_values.hpp"

namespace ringside::tool {
namespace ulm {
namespace {

using netlogger::FieldValue;
using shm::FieldType;

// Fields of a statement that are texts even if they look like numbers, and those that are numbers.
constexpr std::string_view kTextNames[] = {
    netlogger::kEventName, netlogger::kHostName,     netlogger::kProgramName,
    netlogger::kLevelName, netlogger::kCategoryName, netlogger::kFormatName,
    netlogger::kFileName,  netlogger::kFunctionName, netlogger::kKeywordsName};
constexpr std::string_view kNumberNames[] = {netlogger::kPidName, netlogger::kKindName,
                                             netlogger::kStyleName, netlogger::kLineName};

bool is_text_name(std::string_view name) {
  return std::find(std::begin(kTextNames), std::end(kTextNames), name) != std::end(kTextNames);
}

bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\r';
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool is_statement_name(std::string_view name) {
  return is_text_name(name) || std::find(std::begin(kNumberNames), std::end(kNumberNames), name) !=
                                   std::end(kNumberNames);
}

Step Reader::next(Line& line) {
  const Step step = take(line);
  if (step == Step::kEvent) ++events_;
  if (step == Step::kCut) cut_ = line.offset;
  if (step == Step::kBad && bad_++ == 0) {
    first_bad_ = line.offset;
    first_why_ = why_;
  }
  return step;
}

ReadOutcome Reader::outcome() const {
  ReadOutcome outcome;
  if (cut_) {
    outcome = ReadOutcome::damaged(
        *cut_, "the last line has no newline and is left out; append a newline if it is complete");
  }
  if (events_ == 0 && bad_ != 0) {
    return ReadOutcome::refused(
        first_bad_, fmt::format("not a ULM file: no valid line; the first has {}", first_why_));
  }
  if (events_ == 0 && cut_) return ReadOutcome::refused(outcome.offset, outcome.message);
  if (bad_ != 0) {
    outcome.warnings.push_back(
        fmt::format("{} lines are not ULM and were skipped; the first, at {}, has {}", bad_,
                    first_bad_, first_why_));
  }
  return outcome;
}

Step Reader::take(Line& line) {
  std::size_t searched = 0;
  for (std::size_t wanted = 1;;) {
    const std::string_view text = text_of(input_.peek(wanted));
    if (text.empty()) return Step::kEnd;
    const std::size_t end = text.find('\n', searched);
    line.offset = input_.offset();
    line.fields.clear();
    line.unix_ns.reset();
    if (end != std::string_view::npos) {
      if (end > kMostLineBytes) return skip_long_line(line);
      line.length = end + 1;
      input_.skip(line.length);
      const bool sound = parse(text.substr(0, end), line);
      if (sound && line.fields.empty() && !line.unix_ns) {  // only blanks
        wanted = 1;
        searched = 0;
        continue;
      }
      return sound ? Step::kEvent : Step::kBad;
    }
    if (text.size() > kMostLineBytes) return skip_long_line(line);
    if (text.size() < wanted) {
      line.length = text.size();
      return Step::kCut;
    }
    searched = text.size();
    wanted = std::min(text.size() * 2, kMostLineBytes + 1);
  }
}

Step Reader::skip_long_line(Line& line) {
  why_ = "more than 8 MiB";
  line.length = 0;
  for (;;) {
    const std::string_view text = text_of(input_.peek(1));
    if (text.empty()) return Step::kBad;
    const std::size_t end = text.find('\n');
    const std::size_t bytes = end == std::string_view::npos ? text.size() : end + 1;
    line.length += bytes;
    input_.skip(bytes);
    if (end != std::string_view::npos) return Step::kBad;
  }
}

bool Reader::parse(std::string_view text, Line& line) {
  line_bytes_ = text.size();
  texts_.clear();
  nanoseconds_ = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) break;
    const char* const name = at;
    while (at != end && *at != '=' && *at != '"' && !is_blank(*at)) ++at;
    if (at == end || *at != '=') return fail("a word without '='");
    if (at == name) return fail("a word without a name before its '='");
    const std::string_view word(name, static_cast<std::size_t>(at - name));
    const char* value = ++at;
    const bool is_quoted = at != end && *at == '"';
    bool has_escapes = false;
    if (is_quoted) {
      for (value = ++at; at != end && *at != '"'; ++at) {
        if (*at != '\\') continue;
        has_escapes = true;
        if (++at == end) break;
      }
      if (at == end) return fail("an unterminated quote");
    } else {
      while (at != end && !is_blank(*at)) ++at;
    }
    std::string_view content(value, static_cast<std::size_t>(at - value));
    if (is_quoted && ++at != end && !is_blank(*at)) return fail("no blank after a quote");
    if (has_escapes) content = unescaped(content);
    if (!add(word, content, is_quoted, line)) return false;
  }
  if (line.unix_ns) *line.unix_ns += nanoseconds_;
  return true;
}

bool Reader::add(std::string_view name, std::string_view value, bool is_quoted, Line& line) {
  if (name == kDateName && !line.unix_ns) {
    line.unix_ns = dates_.read(value);
    return line.unix_ns || fail("a DATE that is not in the years 1678 to 2261");
  }
  if (line.fields.size() == kMostWords) return fail("more than 4096 words");
  FieldValue field{name, FieldType::none, 0, value, false};
  const bool may_be_of_statement =
      name.size() <= 4 || name == netlogger::kEventName || name.substr(0, 9) == "ringside.";
  bool is_text = is_quoted;
  if (may_be_of_statement) {
    is_text = is_text || is_text_name(name);
    field.is_constant = is_statement_name(name);
  }
  if (!is_text) field.type = number_of(value, field.bits);
  if (field.type == FieldType::none) field.type = FieldType::string;
  if (name == kNanosecondsName && field.type == FieldType::i64 && field.bits < 1000) {
    nanoseconds_ = static_cast<std::int64_t>(field.bits);
    return true;
  }
  line.fields.push_back(field);
  return true;
}

std::string_view Reader::unescaped(std::string_view value) {
  // Views into it must remain valid. All texts of a line together fit in the size of the line.
  if (texts_.empty()) texts_.reserve(line_bytes_);
  const std::size_t begin = texts_.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char next = value[i] == '\\' && i + 1 < value.size() ? value[i + 1] : '\0';
    const int high = next == 'x' && i + 3 < value.size() ? hex_digit(value[i + 2]) : -1;
    const int low = high >= 0 ? hex_digit(value[i + 3]) : -1;
    if (next == '"' || next == '\\') {
      texts_ += next;
    } else if (next == 'n' || next == 'r') {
      texts_ += next == 'n' ? '\n' : '\r';
    } else if (low >= 0) {
      texts_ += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      texts_ += value[i];
      continue;
    }
    ++i;
  }
  return std::string_view(texts_).substr(begin);
}

}  // namespace ulm

bool recognise_ulm(std::span<const std::byte> first_bytes) {
  std::string_view text = ulm::text_of(first_bytes);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  const std::size_t end = text.find('\n');
  // A line that is cut here can be cut within a word.
  const bool is_whole =
      end != std::string_view::npos || first_bytes.size() < ForeignFormat::kFirstBytes;
  std::string first(text.substr(0, std::min(end, is_whole ? text.size() : text.rfind(' '))));
  first += '\n';
  const auto input = InputBytes::in_memory("", std::as_bytes(std::span(first)));
  ulm::Reader reader(*input);
  ulm::Line line;
  if (reader.next(line) != ulm::Step::kEvent) return false;
  return line.unix_ns || std::any_of(line.fields.begin(), line.fields.end(), [](const auto& field) {
           return field.name == netlogger::kEventName;
         });
}

}  // namespace ringside::tool
