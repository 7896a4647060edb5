#pragma once
// Where the writer of a foreign format puts its bytes.

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
  // Takes all of `bytes`, or returns false; then nothing is asked of it any more.
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

  // Hands everything on. False if that, or anything before, failed.
  bool flush() {
    if (ok_ && !buffer_.empty()) {
      ok_ = sink_(std::as_bytes(std::span(buffer_)));
      if (!ok_) error_ = errno;
    }
    buffer_.clear();
    return ok_;
  }

  bool ok() const { return ok_; }
  // errno as it was when the sink failed; 0 if it did not.
  int error() const { return error_; }

  // What a writer could not do for another reason than the sink.
  void fail(std::string why) {
    ok_ = false;
    failure_ = std::move(why);
  }
  const std::string& failure() const { return failure_; }
  // Bytes put so far.
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
