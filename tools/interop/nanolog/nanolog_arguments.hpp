#pragma once
// The arguments of a NanoLog record: a half byte of length for each number, the numbers without
// their leading zeros, then the strings.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/printf_fields.hpp"
#include "trace-format/value.hpp"

namespace ringside::tool::nanolog {

struct Statement;

inline bool is_string(const shm::PrintfField& field) {
  return field.conversion == 's';
}

// Reads what an extent holds, front to back.
class Packed {
 public:
  explicit Packed(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t position() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  const std::byte* here() const { return bytes_.data() + at_; }
  void pass(std::size_t bytes) { at_ += bytes; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(bytes_[at_++]); }

  // Of the length that a half byte tells; above 8 it is 8 less, and the number negative. False
  // where the extent ends.
  bool integer(unsigned nibble, std::uint64_t& number);
  // Of 4, 8 or (nibble 0) 16 bytes.
  bool floating(unsigned nibble, long double& number);

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

class Arguments {
 public:
  // False where the extent ends.
  bool read(const Statement& statement, Packed& packed);
  // One for each field, in the order of the C arguments.
  std::span<const trace::Value> values() const { return values_; }

 private:
  bool number(const shm::PrintfField& field, unsigned nibble, Packed& packed, std::size_t index);
  bool string(const shm::PrintfField& field, Packed& packed, std::size_t index);

  std::vector<trace::Value> values_;
  std::vector<std::string> texts_;  // wide ones, as UTF-8
};

}  // namespace ringside::tool::nanolog
