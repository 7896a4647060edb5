// The bytes of columns: written one after the other, and read back with every length checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::trace {

class ColumnWriter {
 public:
  void put_byte(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void put_number(std::uint64_t value) {  // LEB128
    for (; value >= 0x80; value >>= 7) put_byte(static_cast<unsigned>(value & 0x7F) | 0x80);
    put_byte(static_cast<unsigned>(value));
  }
  void put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // Appends room for `count` bytes and returns it; valid until the next call.
  std::span<std::byte> put_room(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return std::span(bytes_).last(count);
  }
  // Bytes of another kind follow: compressing them apart is worthwhile.
  void cut() { cut_at(bytes_.size()); }
  void cut_at(std::size_t place) { cuts_.push_back(place); }
  void clear() {
    bytes_.clear();
    cuts_.clear();
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<const std::size_t> cuts() const { return cuts_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> cuts_;
};

// After the first read past the end, every read gives zeros or nothing, and failed() is true.
class ColumnReader {
 public:
  explicit ColumnReader(std::span<const std::byte> bytes) : left_(bytes) {}

  unsigned take_byte() {
    const auto one = take_bytes(1);
    return one.empty() ? 0 : static_cast<unsigned>(one[0]);
  }
  std::uint64_t take_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned byte = take_byte();
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7F} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  // A number that is at most `most`, else 0.
  std::uint64_t take_number(std::uint64_t most) {
    const std::uint64_t value = take_number();
    if (value <= most) return value;
    fail();
    return 0;
  }
  std::span<const std::byte> take_bytes(std::uint64_t count) {
    if (failed_ || count > left_.size()) {
      fail();
      return {};
    }
    const auto taken = left_.first(static_cast<std::size_t>(count));
    left_ = left_.subspan(taken.size());
    return taken;
  }

  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool failed_ = false;
};

}  // namespace ringside::trace
