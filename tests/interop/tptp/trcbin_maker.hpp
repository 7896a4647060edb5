#pragma once
// Binary TPTP traces made by hand, valid and invalid ones.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside::tool::tptp {

class TrcbinMaker {
 public:
  explicit TrcbinMaker(bool little = true) : little_(little) {
    bytes_ = "0TBF";
    bytes_ += '\1';
    bytes_ += '\0';
    bytes_ += '\1';
    bytes_ += little ? '\1' : '\0';
    number<std::uint32_t>(12);
  }

  template <class Number>
  TrcbinMaker& number(Number value) {
    std::string digits;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      digits += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xFF);
    }
    if (!little_) std::reverse(digits.begin(), digits.end());
    bytes_ += digits;
    return *this;
  }
  TrcbinMaker& text(std::string_view characters) {
    bytes_ += characters;
    bytes_ += '\0';
    return *this;
  }
  TrcbinMaker& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  // A message with the content that `fill` writes; its size claims `more` bytes.
  template <class Fill>
  TrcbinMaker& message(std::uint16_t id, Fill&& fill, std::int64_t more = 0) {
    TrcbinMaker body(little_);
    body.bytes_.clear();
    fill(body);
    number(id);
    number(static_cast<std::uint32_t>(6 + static_cast<std::int64_t>(body.bytes_.size()) + more));
    bytes_ += body.bytes_;
    return *this;
  }
  TrcbinMaker& encoding(std::string_view name) {
    return message(1, [&](TrcbinMaker& m) { m.text(name); });
  }
  TrcbinMaker& frequency(std::uint64_t hz) {
    return message(2, [&](TrcbinMaker& m) { m.number(hz); });
  }
  TrcbinMaker& custom(std::string_view body) {
    return message(1041, [&](TrcbinMaker& m) { m.text(body); });
  }
  TrcbinMaker& agent_destroy(std::string_view id, std::int64_t time) {
    return message(1004, [&](TrcbinMaker& m) { m.text(id).number(time); });
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }
  std::string& text() { return bytes_; }

 private:
  std::string bytes_;
  bool little_;
};

}  // namespace ringside::tool::tptp
