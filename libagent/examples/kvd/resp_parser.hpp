// Incremental parser of RESP2 requests (arrays of bulk strings) and inline commands.
//
// Bytes are appended as they arrive, split anywhere; the result never depends on the split. Every
// length is checked against RequestLimits before it is used, and a declared length alone never
// reserves memory. Not thread-safe: one parser belongs to one connection.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libagent/examples/kvd/limits.hpp"

namespace kvd {

enum class ParseStatus {
  kNeedMore,  // no complete request is buffered
  kRequest,   // arguments() holds one, at least one argument long
  kError,     // error() has the reason; final, the stream cannot be parsed any further
};

class RespParser {
 public:
  explicit RespParser(const RequestLimits& limits = {}) : limits_(limits) {}

  // Appends a copy of `bytes` to the buffered bytes. Invalidates arguments().
  void append(std::string_view bytes);

  // Takes the next request. Invalidates the previous arguments().
  [[nodiscard]] ParseStatus next();

  // Views into the parser; valid until the next call of append() or next().
  [[nodiscard]] std::span<const std::string_view> arguments() const { return arguments_; }
  [[nodiscard]] bool is_inline() const { return form_ == Form::kInline; }
  // Size on the wire of the last returned request.
  [[nodiscard]] std::size_t request_bytes() const { return cursor_ - head_; }
  // Bytes that belong to no returned request yet.
  [[nodiscard]] std::size_t buffered_bytes() const {
    return buffer_.size() - (complete_ ? cursor_ : head_);
  }
  // What follows "Protocol error: " in the reply.
  [[nodiscard]] std::string_view error() const { return error_; }

 private:
  enum class Form { kUnknown, kInline, kArray };
  enum class LineStatus { kNeedMore, kLine, kTooLong, kBadEnd };
  struct Extent {
    std::size_t offset = 0;  // from head_, so that it survives compaction
    std::size_t bytes = 0;
  };

  void begin_request();
  ParseStatus fail(std::string reason);
  ParseStatus next_inline();
  ParseStatus next_array();
  ParseStatus take_array_header();
  ParseStatus take_bulk();
  [[nodiscard]] LineStatus take_count_line(std::string_view& digits);
  [[nodiscard]] bool split_inline(std::string_view line);

  RequestLimits limits_;
  std::string buffer_;
  std::size_t head_ = 0;      // first byte of the current request
  std::size_t cursor_ = 0;    // first byte not yet parsed
  std::size_t searched_ = 0;  // bytes from cursor_ known to hold no line end
  Form form_ = Form::kUnknown;
  bool complete_ = false;
  std::size_t arguments_missing_ = 0;
  std::optional<std::size_t> bulk_bytes_;
  std::vector<Extent> extents_;
  std::string inline_text_;  // inline arguments without their quotes and escapes
  std::vector<std::string_view> arguments_;
  std::string error_;
};

}  // namespace kvd
