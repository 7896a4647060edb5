#pragma once
// Decodes what a node describes: numbers into slots and the clock, what is wanted into columns.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/ctf/ctf_bits.hpp"
#include "tools/interop/ctf/ctf_layout.hpp"
#include "trace-format/value.hpp"

namespace ringside::tool::ctf {

enum class Decoded : std::uint8_t { kYes, kCutShort, kBad };

class Decoder {
 public:
  // For at least so many slots and columns.
  void make_room(std::size_t slots, std::size_t columns);

  BitReader& bits() { return bits_; }

  // kCutShort: the bits end within it.
  Decoded decode(const Node& node) {
    decoded_ = Decoded::kYes;
    walk(node);
    return decoded_;
  }

  // False: it has another form, or is not at hand as a whole, and no number was decoded.
  bool decode(const BriefHeader& header) {
    if (header.id_bits == 0) return false;
    bits_.align(8);
    std::uint64_t number = 0;
    if (!bits_.load(number)) return false;
    const std::uint64_t id = number & low_bits(header.id_bits);
    if (id - header.first_id > header.last_id - header.first_id) return false;
    const std::uint64_t ticks = number >> header.id_bits;
    clock_ += (ticks - clock_) & low_bits(header.clock_bits);
    slots_[header.slot] = event_id_ = id;
    bits_.pass(header.id_bits + header.clock_bits);
    return true;
  }

  std::uint64_t slot(std::uint32_t slot) const { return slot == kNone ? 0 : slots_[slot]; }
  // Types are the caller's to know. Texts live until the next decode() or the bits go.
  const trace::Value& column(std::uint32_t column) const { return columns_[column]; }
  const trace::Value& column_of_type(std::uint32_t column, shm::FieldType type) {
    columns_[column].type = type;
    return columns_[column];
  }

  // Ticks of the last clock value.
  std::uint64_t clock() const { return clock_; }
  void set_clock(std::uint64_t ticks) { clock_ = ticks; }
  std::uint64_t event_id() const { return event_id_; }
  void set_event_id(std::uint64_t id) { event_id_ = id; }

  const char* failure() const { return failure_; }

 private:
  bool walk(const Node& node);
  bool structure(const Node& node);
  bool straight(const Node& node, const NodePart& part);
  bool number(const Node& node);
  bool floating(const Node& node);
  bool string(const Node& node, std::string_view& text);
  bool array(const Node& node);
  bool count_of(const Node& node, std::uint64_t& count);
  bool elements(const Node& node, std::uint64_t count);
  // `copy` takes them where they do not lie in the packet as they are.
  bool characters(const Node& element, std::uint64_t count, std::string& copy,
                  std::string_view& text);
  bool halves(const Node& element, std::uint32_t column, std::uint64_t count);
  bool hex_strings(const Node& node, std::uint64_t count);
  const Node* option(const Node& node);
  bool render(const Node& node, std::string& text);
  bool raw(const Node& node, std::uint64_t& number);
  bool cut_short() {
    decoded_ = Decoded::kCutShort;
    return false;
  }
  bool bad(const char* why) {
    decoded_ = Decoded::kBad;
    failure_ = why;
    return false;
  }

  BitReader bits_;
  Decoded decoded_ = Decoded::kYes;
  std::vector<std::uint64_t> slots_;
  std::vector<trace::Value> columns_;
  std::vector<std::string> texts_;  // of columns that do not lie in the packet as they are wanted
  std::uint64_t clock_ = 0;
  std::uint64_t event_id_ = 0;
  const char* failure_ = "";
};

}  // namespace ringside::tool::ctf
