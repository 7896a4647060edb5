#pragma once
// Types of the metadata made ready for decoding: each place where one is used is a node of its own,
// references between fields are numbers of slots, and what is wanted of a field is a column.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/interop/ctf/ctf_metadata.hpp"

namespace ringside::tool::ctf {

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class NodeRole : std::uint8_t { kPlain, kClock, kEventId };

// How a node's value goes into its column.
enum class ColumnMode : std::uint8_t {
  kNumber,      // integers, enumerations, floats
  kText,        // strings; arrays of characters up to their NUL
  kElements,    // arrays of numbers or strings, as a record stores them
  kHalves,      // structures of two integers, and arrays of them
  kHexStrings,  // arrays of strings of hexadecimal digits, as arrays of bytes
  kRendered,    // anything else, as text
};

// Of numbers of whole bytes that follow each other without gaps: found without a look at each node.
struct StraightNumber {
  std::uint32_t slot = kNone;
  std::uint32_t column = kNone;
  std::uint8_t bytes = 0;
  bool big_endian = false;
  bool is_signed = false;
};

// Children of a structure, one after the other: straight numbers, or a single one of another kind.
struct NodePart {
  std::uint32_t first = 0;
  std::uint32_t bytes = 0;  // of all numbers; 0: a single child
  std::vector<StraightNumber> numbers;
};

struct Node {
  TypeKind kind = TypeKind::kStruct;
  NodeRole role = NodeRole::kPlain;
  ColumnMode mode = ColumnMode::kNumber;
  bool big_endian = false;
  bool is_signed = false;
  bool is_text = false;
  std::uint32_t bits = 0;
  std::uint32_t align_bits = 1;
  std::uint32_t base = 10;
  std::uint32_t slot = kNone;       // takes the number
  std::uint32_t reference = kNone;  // slot of a sequence's length or a variant's tag
  std::uint32_t column = kNone;
  std::uint64_t length = 0;
  std::string name;
  const Type* type = nullptr;
  std::vector<Node> children;  // members, options, or the element
  struct Choice {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t option = 0;
  };
  std::vector<Choice> choices;  // of a variant, by the values of its tag
  std::vector<NodePart> parts;  // of a structure: straighten() makes them
};

// What LTTng's event headers are for most events: an id of few bits, the low bits of the clock, and
// whole bytes of both. Other ids choose another form of the header.
struct BriefHeader {
  std::uint32_t id_bits = 0;  // 0: the header is none of these
  std::uint32_t clock_bits = 0;
  std::uint32_t slot = kNone;  // of the id
  std::uint64_t first_id = 0;
  std::uint64_t last_id = 0;
};

struct StreamLayout {
  Node packet_context;
  Node event_header;
  Node event_context;
  BriefHeader brief_header;  // of a straightened event_header
};

struct EventLayout {
  Node context;
  Node fields;
};

// Of one trace. The Metadata must live as long.
class LayoutMaker {
 public:
  explicit LayoutMaker(const Metadata& metadata) : metadata_(metadata) {}

  // False with error(): references to nowhere, too many fields.
  bool make_packet_header(Node& header);
  bool make_stream(const StreamDescription& description, StreamLayout& stream);
  bool make_event(const EventDescription& description, StreamLayout& stream, EventLayout& event);

  // Of a number that stands directly in the structure (find_plain_member()); kNone if none does.
  std::uint32_t slot_of(Node& structure, std::string_view name);

  std::uint32_t slots() const { return slots_; }
  // Of the last thing that could not be made.
  const std::string& error() const { return error_; }

 private:
  struct Root {
    std::string_view prefix;
    Node* node;
  };
  bool make_root(std::string_view prefix, const TypePointer& type, Node& node);
  bool make(const Type& type, std::string name, Node& node, unsigned depth);
  Node* resolve(std::string_view path);
  std::uint32_t take_slot(Node& node);
  bool refer(const Type& type, Node& node);
  bool fail(std::string why);

  const Metadata& metadata_;
  std::vector<Root> roots_;
  std::vector<Node*> open_;  // structures that are being made, outermost first
  bool in_header_ = false;
  std::uint32_t slots_ = 0;
  std::size_t nodes_ = 0;
  std::string error_;
};

// Of a structure and what is in it, when all slots and columns are known: it is decoded faster.
void straighten(Node& node);

BriefHeader brief_header_of(const Node& event_header);

// "_name" is "name": tracers put an underscore in front.
inline std::string_view plain_name(std::string_view name) {
  return name.size() > 1 && name.front() == '_' ? name.substr(1) : name;
}

// Integers of these names hold times even where they are mapped to no clock.
bool is_named_for_time(const Node& node);

Node* find_member(Node& structure, std::string_view name);
// Of that name, or else with an underscore in front.
Node* find_plain_member(Node& structure, std::string_view name);

}  // namespace ringside::tool::ctf
