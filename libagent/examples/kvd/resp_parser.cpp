#include "libagent/examples/kvd/resp_parser.hpp"

#include <utility>

#include "libagent/examples/kvd/decimal.hpp"

namespace kvd {
namespace {

constexpr std::size_t kKeptArguments = 4096;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads the escape at text[at] == '\\' of a double-quoted argument; returns the bytes it spans.
std::size_t take_escape(std::string_view text, std::size_t at, std::string& out) {
  if (at + 3 < text.size() && text[at + 1] == 'x') {
    const int high = hex_digit(text[at + 2]);
    const int low = hex_digit(text[at + 3]);
    if (high >= 0 && low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      return 4;
    }
  }
  if (at + 1 >= text.size()) {
    out.push_back('\\');
    return 1;
  }
  switch (const char c = text[at + 1]) {
    case 'n':
      out.push_back('\n');
      break;
    case 'r':
      out.push_back('\r');
      break;
    case 't':
      out.push_back('\t');
      break;
    case 'b':
      out.push_back('\b');
      break;
    case 'a':
      out.push_back('\a');
      break;
    default:
      out.push_back(c);
      break;
  }
  return 2;
}

}  // namespace

void RespParser::append(std::string_view bytes) {
  if (complete_) begin_request();
  if (head_ == buffer_.size()) {
    buffer_.clear();
    if (buffer_.capacity() > kKeptBufferBytes) std::string().swap(buffer_);
    cursor_ -= head_;
    head_ = 0;
  } else if (head_ > buffer_.size() / 2) {
    // Moves fewer bytes than were consumed since the last time: linear in the stream's length.
    buffer_.erase(0, head_);
    cursor_ -= head_;
    head_ = 0;
  }
  buffer_.append(bytes);
}

void RespParser::begin_request() {
  head_ = cursor_;
  searched_ = 0;
  form_ = Form::kUnknown;
  complete_ = false;
  arguments_missing_ = 0;
  bulk_bytes_.reset();
  extents_.clear();
  arguments_.clear();
  if (extents_.capacity() > kKeptArguments) {
    std::vector<Extent>().swap(extents_);
    std::vector<std::string_view>().swap(arguments_);
  }
}

ParseStatus RespParser::fail(std::string reason) {
  error_ = std::move(reason);
  return ParseStatus::kError;
}

ParseStatus RespParser::next() {
  if (!error_.empty()) return ParseStatus::kError;
  for (;;) {
    if (complete_) begin_request();
    if (cursor_ == buffer_.size()) return ParseStatus::kNeedMore;
    if (form_ == Form::kUnknown) {
      form_ = buffer_[cursor_] == '*' ? Form::kArray : Form::kInline;
    }
    const ParseStatus status = form_ == Form::kArray ? next_array() : next_inline();
    // An empty line and an empty array are empty requests, and get no reply.
    if (status != ParseStatus::kRequest || !arguments_.empty()) return status;
  }
}

ParseStatus RespParser::next_inline() {
  const std::size_t end = buffer_.find('\n', cursor_ + searched_);
  const bool found = end != std::string::npos;
  std::size_t length = (found ? end : buffer_.size()) - cursor_;
  // The '\r' is not counted, so that the result does not depend on where the stream was split.
  if (length > 0 && buffer_[cursor_ + length - 1] == '\r') --length;
  if (length > limits_.inline_bytes) return fail("too big inline request");
  if (!found) {
    searched_ = buffer_.size() - cursor_;
    return ParseStatus::kNeedMore;
  }
  if (!split_inline(std::string_view(buffer_).substr(cursor_, length))) {
    return fail("unbalanced quotes in request");
  }
  if (arguments_.size() > limits_.array_length) return fail("too many inline arguments");
  cursor_ = end + 1;
  complete_ = true;
  return ParseStatus::kRequest;
}

bool RespParser::split_inline(std::string_view line) {
  inline_text_.clear();
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) break;
    const std::size_t start = inline_text_.size();
    char quote = '\0';
    for (; at < line.size(); ++at) {
      const char c = line[at];
      if (quote == '\0') {
        if (is_blank(c)) break;
        if (c == '"' || c == '\'') {
          quote = c;
        } else {
          inline_text_.push_back(c);
        }
      } else if (c == quote) {
        quote = '\0';
        ++at;
        if (at < line.size() && !is_blank(line[at])) return false;
        break;
      } else if (c == '\\' && quote == '"') {
        at += take_escape(line, at, inline_text_) - 1;
      } else if (c == '\\' && at + 1 < line.size() && line[at + 1] == '\'') {
        inline_text_.push_back('\'');
        ++at;
      } else {
        inline_text_.push_back(c);
      }
    }
    if (quote != '\0') return false;
    extents_.push_back({start, inline_text_.size() - start});
  }
  // Only now, because inline_text_ moves while it grows.
  for (const Extent& extent : extents_) {
    arguments_.push_back(std::string_view(inline_text_).substr(extent.offset, extent.bytes));
  }
  return true;
}

ParseStatus RespParser::next_array() {
  if (cursor_ == head_) {
    const ParseStatus status = take_array_header();
    if (status != ParseStatus::kRequest) return status;
  }
  while (arguments_missing_ > 0) {
    const ParseStatus status = take_bulk();
    if (status != ParseStatus::kRequest) return status;
    --arguments_missing_;
  }
  for (const Extent& extent : extents_) {
    arguments_.push_back(std::string_view(buffer_).substr(head_ + extent.offset, extent.bytes));
  }
  complete_ = true;
  return ParseStatus::kRequest;
}

RespParser::LineStatus RespParser::take_count_line(std::string_view& digits) {
  const std::size_t start = cursor_ + 1;  // after the type byte
  const std::size_t end = buffer_.find('\r', start);
  const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - start;
  if (length > limits_.count_line_bytes) return LineStatus::kTooLong;
  if (end == std::string::npos || end + 1 == buffer_.size()) return LineStatus::kNeedMore;
  if (buffer_[end + 1] != '\n') return LineStatus::kBadEnd;
  digits = std::string_view(buffer_).substr(start, length);
  cursor_ = end + 2;
  return LineStatus::kLine;
}

ParseStatus RespParser::take_array_header() {
  std::string_view digits;
  switch (take_count_line(digits)) {
    case LineStatus::kNeedMore:
      return ParseStatus::kNeedMore;
    case LineStatus::kTooLong:
      return fail("too big mbulk count string");
    case LineStatus::kBadEnd:
      return fail("invalid multibulk length");
    case LineStatus::kLine:
      break;
  }
  const std::optional<std::int64_t> count = parse_decimal(digits);
  if (!count || (*count > 0 && static_cast<std::uint64_t>(*count) > limits_.array_length)) {
    return fail("invalid multibulk length");
  }
  arguments_missing_ = *count > 0 ? static_cast<std::size_t>(*count) : 0;
  return ParseStatus::kRequest;
}

ParseStatus RespParser::take_bulk() {
  if (!bulk_bytes_) {
    if (cursor_ == buffer_.size()) return ParseStatus::kNeedMore;
    if (buffer_[cursor_] != '$') {
      return fail(std::string("expected '$', got '") + buffer_[cursor_] + "'");
    }
    std::string_view digits;
    switch (take_count_line(digits)) {
      case LineStatus::kNeedMore:
        return ParseStatus::kNeedMore;
      case LineStatus::kTooLong:
        return fail("too big bulk count string");
      case LineStatus::kBadEnd:
        return fail("invalid bulk length");
      case LineStatus::kLine:
        break;
    }
    const std::optional<std::int64_t> bytes = parse_decimal(digits);
    if (!bytes || *bytes < 0 || static_cast<std::uint64_t>(*bytes) > limits_.bulk_bytes) {
      return fail("invalid bulk length");
    }
    bulk_bytes_ = static_cast<std::size_t>(*bytes);
    if (cursor_ - head_ + *bulk_bytes_ + 2 > limits_.request_bytes) return fail("too big request");
  }
  if (buffer_.size() - cursor_ < *bulk_bytes_ + 2) return ParseStatus::kNeedMore;
  const std::size_t end = cursor_ + *bulk_bytes_;
  // Redis skips these two bytes unchecked; a client with a wrong count is better rejected at once.
  if (buffer_[end] != '\r' || buffer_[end + 1] != '\n') return fail("expected CRLF after bulk");
  extents_.push_back({cursor_ - head_, *bulk_bytes_});
  cursor_ = end + 2;
  bulk_bytes_.reset();
  return ParseStatus::kRequest;
}

}  // namespace kvd
