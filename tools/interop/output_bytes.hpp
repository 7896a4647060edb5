#pragma once
// The output of the writer of a foreign format.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ringside::tool {

// Buffers. Not thread-safe.
class OutputBytes {
 public:
  // Takes all of `bytes`, or returns false; after that it is not called again.
  using Sink = std::function<bool(std::span<const std::byte> bytes)>;

  explicit OutputBytes(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(kBufferBytes); }
  OutputBytes(const OutputBytes&) = delete;
  OutputBytes& operator=(const OutputBytes&) = delete;

  void put(std::string_view text) {
    buffer_ += text;
    position_ += text.size();
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void put(std::span<const std::byte> bytes) {
    put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  // Passes all buffered bytes to the sink. False if that, or any earlier write, failed.
  bool flush() {
    if (ok_ && !buffer_.empty()) {
      ok_ = sink_(std::as_bytes(std::span(buffer_)));
      if (!ok_) error_ = errno;
    }
    buffer_.clear();
    return ok_;
  }

  bool ok() const { return ok_; }
  // errno of the sink's failure; 0 if the sink did not fail.
  int error() const { return error_; }

  // Records a failure of the writer that does not come from the sink.
  void fail(std::string why) {
    ok_ = false;
    failure_ = std::move(why);
  }
  const std::string& failure() const { return failure_; }
  // Bytes put until now.
  std::uint64_t position() const { return position_; }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{256} << 10;
  static constexpr std::size_t kBufferBytes = kFlushBytes + (std::size_t{64} << 10);

  Sink sink_;
  std::string buffer_;
  std::uint64_t position_ = 0;
  bool ok_ = true;
  int error_ = 0;
  std::string failure_;
};

}  // namespace ringside::tool
