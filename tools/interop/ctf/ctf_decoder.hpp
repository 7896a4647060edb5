#pragma once
// Decodes what a node describes: numbers into slots and the clock, requested fields into columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/ctf/ctf_bits.hpp"
#include "tools/interop/ctf/ctf_layout.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::ctf {

enum class Decoded : std::uint8_t { kYes, kCutShort, kBad };

class Decoder {
 public:
  // Makes room for at least this many slots and columns.
  void make_room(std::size_t slots, std::size_t columns);

  BitReader& bits() { return bits_; }

  // kCutShort: the bits end within the node.
  Decoded decode(const Node& node) {
    decoded_ = Decoded::kYes;
    walk(node);
    return decoded_;
  }

  // False: the header has another form or is not completely in memory; then no number was decoded.
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
  // The caller knows the types. Texts are valid until the next decode() or until the bits are
  // freed.
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

  // What the head of the packet declares by its roles since the last forget_packet().
  void forget_packet() {
    packet_roles_ = 0;
    expect_bits(0);
  }
  // Called before the events of a packet: how many bits the packet has, which limits how many
  // fields without bits are decoded.
  void expect_bits(std::uint64_t packet_bits);
  bool has(Role role) const { return (packet_roles_ & bit_of(role)) != 0; }
  std::uint64_t packet_fact(Role role, std::uint64_t absent) const {
    return has(role) ? packet_facts_[static_cast<std::size_t>(role)] : absent;
  }
  const std::array<std::uint8_t, 16>& packet_uuid() const { return packet_uuid_; }

  const std::string& failure() const { return failure_; }

 private:
  bool walk(const Node& node);
  bool structure(const Node& node);
  bool member(const Node& node);
  bool straight(const Node& node, const NodePart& part);
  bool number(const Node& node);
  bool floating(const Node& node);
  void take_packet_roles(const Node& node, std::uint64_t number);
  void take_uuid(std::uint64_t bytes);
  // `copy` holds texts that are not UTF-8 in the packet.
  bool string(const Node& node, std::string& copy, std::string_view& text);
  bool wide_string(const Node& node, std::string& copy, std::string_view& text);
  bool array(const Node& node);
  bool count_of(const Node& node, std::uint64_t& count);
  bool elements(const Node& node, std::uint64_t count);
  // `copy` holds characters that the packet does not store contiguously.
  bool characters(const Node& node, std::uint64_t count, std::string& copy, std::string_view& text);
  bool wide_characters(const Node& node, std::uint64_t count, std::string& copy,
                       std::string_view& text);
  bool halves(const Node& element, std::uint32_t column, std::uint64_t count);
  bool hex_strings(const Node& node, std::uint64_t count);
  const Node* option(const Node& node);
  bool render(const Node& node, std::string& text);
  [[gnu::always_inline]] bool raw(const Node& node, std::uint64_t& number) {
    if (node.is_odd) [[unlikely]]
      return odd(node, number);
    bits_.align(node.align_bits);
    return bits_.read(node.bits, node.big_endian, number) || cut_short();
  }
  static std::uint64_t extended(const Node& node, std::uint64_t number) {
    if (!node.is_signed || node.bits == 64) return number;
    const unsigned unused = (64 - node.bits) % 64;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(number << unused) >> unused);
  }
  bool odd(const Node& node, std::uint64_t& number);
  bool variable(const Node& node, std::uint64_t& number);
  bool cut_short() {
    decoded_ = Decoded::kCutShort;
    return false;
  }
  bool bad(const Node& node, std::string_view why);
  // Called after an element or a member was decoded from bit `begin` on. `text`: the size of its
  // text.
  bool check_empty(const Node& node, std::uint64_t begin, std::size_t text = 0);

  BitReader bits_;
  Decoded decoded_ = Decoded::kYes;
  std::vector<std::uint64_t> slots_;
  std::vector<trace::Value> columns_;
  std::vector<std::string> texts_;  // of columns that differ from the packet's bytes
  std::uint64_t clock_ = 0;
  std::uint64_t event_id_ = 0;
  std::uint32_t odd_bits_ = 0;  // size of the last odd number
  std::uint16_t packet_roles_ = 0;
  std::array<std::uint64_t, kRoles> packet_facts_{};
  std::array<std::uint8_t, 16> packet_uuid_{};
  std::string wide_;                // the last text that was not UTF-8 in the packet
  std::uint64_t empty_fields_ = 0;  // of the packet until now
  std::uint64_t most_empty_fields_ = 0;
  std::string failure_;
};

}  // namespace ringside::tool::ctf
