#pragma once
// The arguments of a NanoLog record: a half byte of length for each number, the numbers without
// their leading zeros, then the strings.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/printf_fields.hpp"

namespace ringside::tool::nanolog {

// Reads the contents of an extent from front to back.
class Packed {
 public:
  explicit Packed(std::span<const std::byte> bytes)
      : begin_(bytes.data()), here_(begin_), end_(begin_ + bytes.size()) {}

  bool at_end() const { return here_ == end_; }
  std::size_t position() const { return static_cast<std::size_t>(here_ - begin_); }
  std::size_t left() const { return static_cast<std::size_t>(end_ - here_); }
  const std::byte* here() const { return here_; }
  void pass(std::size_t bytes) { here_ += bytes; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(*here_++); }

  static constexpr unsigned integer_bytes(unsigned nibble) {
    return nibble > 8 ? nibble - 8 : nibble;
  }
  // Reads a number whose length the half byte gives. If that exceeds 8, the length is 8 less and
  // the number is negative. False if the extent ends first.
  bool integer(unsigned nibble, std::uint64_t& number) {
    const unsigned bytes = integer_bytes(nibble);
    number = 0;
    if (left() >= sizeof number) [[likely]] {
      std::memcpy(&number, here_, sizeof number);
      // Shifted twice, because a shift by all 64 bits has no effect.
      number &= ~(~std::uint64_t{0} << 4 * bytes << 4 * bytes);
    } else {
      if (left() < bytes) return false;
      std::memcpy(&number, here_, bytes);
    }
    if (nibble > 8) number = 0 - number;
    pass(bytes);
    return true;
  }

  // 0: there is no floating-point number of this length.
  static constexpr unsigned floating_bytes(unsigned nibble) {
    return nibble == 0 ? 16 : nibble == 4 || nibble == 8 ? nibble : 0;
  }
  bool floating(unsigned nibble, long double& number) {
    const unsigned bytes = floating_bytes(nibble);
    if (bytes == 0 || left() < bytes) return false;
    number = floating_at(here_, bytes);
    pass(bytes);
    return true;
  }

 private:
  static long double floating_at(const std::byte* place, unsigned bytes);

  const std::byte* begin_;
  const std::byte* here_;
  const std::byte* end_;
};

// The work for one field, derived once from the statement's format.
struct ArgumentStep {
  enum class Kind : std::uint8_t {
    kInteger,
    kDouble,
    kLongDouble,
    kWideCharacter,
    kString,  // this step and the following ones have no half byte
    kWideString,
  };
  Kind kind = Kind::kInteger;
  std::uint8_t bytes = 0;  // in a ring; 0: a text

  bool is_string() const { return kind >= Kind::kString; }
};

struct ArgumentPlan {
  std::vector<ArgumentStep> steps;  // in the order of the C arguments
  std::uint32_t nibble_bytes = 0;
  std::uint32_t most_bytes = 0;  // in a ring, without the bytes of strings
  bool has_strings = false;
  bool is_sound = false;  // the format was understood

  explicit ArgumentPlan(const shm::FieldList& fields);
};

class Arguments {
 public:
  // False if the extent ends first.
  bool read(const ArgumentPlan& plan, Packed& packed) {
    used_ = 0;
    steps_ = plan.steps;
    if (steps_.empty()) return true;
    // `packed` itself stays in registers.
    const std::size_t bytes = read_steps(plan, {packed.here(), packed.left()});
    packed.pass(bytes);
    return bytes != 0;
  }
  // The arguments in a ring's encoding, in the order of the C arguments; valid until the next
  // read(). Texts longer than any record are cut: the record would be cut anyway.
  std::string_view ring_bytes() const {
    return {reinterpret_cast<const char*>(bytes_.data()), used_};
  }
  // The contents of ring_bytes().
  std::span<const ArgumentStep> steps() const { return steps_; }

 private:
  // Returns their size; 0 if the extent ends first.
  std::size_t read_steps(const ArgumentPlan& plan, std::span<const std::byte> left);
  // These store at `out` and advance it.
  bool number(ArgumentStep step, unsigned nibble, Packed& packed, std::byte*& out);
  bool string(const ArgumentPlan& plan, ArgumentStep step, Packed& strings, std::byte*& out);
  std::byte* put_text(std::string_view text, std::byte* out) const;

  std::span<const ArgumentStep> steps_;
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::string text_;  // a wide text as UTF-8
};

}  // namespace ringside::tool::nanolog
