// Output of one connection: RESP2 replies encoded one after another, sent from the front.
//
// Bounded: an append beyond the limit is rejected and marks the buffer as overflowed, after that
// its content is no longer a valid stream and the connection must be closed. Not thread-safe.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libagent/examples/kvd/limits.hpp"

namespace kvd {

class ReplyBuffer {
 public:
  explicit ReplyBuffer(std::size_t limit_bytes = kOutputLimitBytes) : limit_bytes_(limit_bytes) {}

  void simple(std::string_view text) { line('+', text); }
  // `text` starts with the error's code ("ERR ..."). It may quote the client, so line ends in it
  // become blanks: they would end the reply early.
  void error(std::string_view text) {
    std::string clean(text);
    std::replace_if(
        clean.begin(), clean.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    line('-', clean);
  }
  void integer(std::int64_t value) { number(':', value); }
  void bulk(std::string_view text) {
    number('$', static_cast<std::int64_t>(text.size()));
    raw(text);
    raw("\r\n");
  }
  void null_bulk() { raw("$-1\r\n"); }
  // The next `count` replies are the elements of the array.
  void array(std::size_t count) { number('*', static_cast<std::int64_t>(count)); }

  [[nodiscard]] std::string_view pending() const { return std::string_view(text_).substr(sent_); }
  [[nodiscard]] std::size_t pending_bytes() const { return text_.size() - sent_; }
  [[nodiscard]] bool overflowed() const { return overflowed_; }

  // The first `bytes` of pending() have been sent.
  void consume(std::size_t bytes) {
    sent_ += bytes;
    if (sent_ == text_.size()) {
      text_.clear();
      if (text_.capacity() > kKeptBufferBytes) std::string().swap(text_);
      sent_ = 0;
    } else if (sent_ > text_.size() / 2) {
      text_.erase(0, sent_);
      sent_ = 0;
    }
  }

 private:
  void raw(std::string_view text) {
    if (overflowed_ || text.size() > limit_bytes_ - std::min(limit_bytes_, pending_bytes())) {
      overflowed_ = true;
      return;
    }
    text_.append(text);
  }
  void line(char type, std::string_view text) {
    raw(std::string_view(&type, 1));
    raw(text);
    raw("\r\n");
  }
  void number(char type, std::int64_t value) {
    char digits[20];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    line(type, std::string_view(digits, static_cast<std::size_t>(result.ptr - digits)));
  }

  std::size_t limit_bytes_;
  std::string text_;
  std::size_t sent_ = 0;
  bool overflowed_ = false;
};

}  // namespace kvd
