#pragma once
// The metadata's types prepared for decoding: each use of a type is a separate node, references
// between fields are slot numbers, and each requested field has a column.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/interop/ctf/ctf_metadata.hpp"

namespace ringside::tool::ctf {

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class NodeRole : std::uint8_t { kPlain, kClock, kEventId, kOfPacket };

// How a node's value goes into its column.
enum class ColumnMode : std::uint8_t {
  kNumber,      // integers, enumerations, floats
  kText,        // strings; arrays of characters up to the first NUL
  kElements,    // arrays of numbers or strings, in a record's encoding
  kHalves,      // structures of two integers, and arrays of them
  kHexStrings,  // arrays of strings of hexadecimal digits, as arrays of bytes
  kRendered,    // anything else, as text
};

// A number of whole bytes in a row of such numbers without gaps, decoded without visiting its node.
struct StraightNumber {
  std::uint32_t slot = kNone;
  std::uint32_t column = kNone;
  std::uint8_t bytes = 0;
  bool big_endian = false;
  bool is_signed = false;
};

// Consecutive children of a structure: straight numbers, or one child of another kind.
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
  bool is_odd = false;             // a number that needs a conversion from its bits: see its type
  std::uint16_t packet_roles = 0;  // roles in kOfPacket, as bit_of() them
  std::uint32_t bits = 0;
  std::uint32_t align_bits = 1;
  std::uint32_t base = 10;
  std::uint32_t slot = kNone;       // receives the number
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
  std::vector<NodePart> parts;  // of a structure: set by straighten()
};

// The form that LTTng's event headers have for most events: an id of few bits, the low bits of the
// clock, and whole bytes of both. Other ids choose another form of the header.
struct BriefHeader {
  std::uint32_t id_bits = 0;  // 0: the header does not have this form
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

// Makes the layouts of one trace. The Metadata must outlive them.
class LayoutMaker {
 public:
  explicit LayoutMaker(const Metadata& metadata) : metadata_(metadata) {}

  // False with error(): invalid references, too many fields.
  bool make_packet_header(Node& header);
  bool make_stream(const StreamDescription& description, StreamLayout& stream);
  bool make_event(const EventDescription& description, StreamLayout& stream, EventLayout& event);

  // The slot of a number that is a direct member of the structure (find_plain_member()); kNone if
  // there is none.
  std::uint32_t slot_of(Node& structure, std::string_view name);

  std::uint32_t slots() const { return slots_; }
  // The reason of the last failure.
  const std::string& error() const { return error_; }

 private:
  struct Root {
    std::string_view prefix;
    Node* node;
  };
  bool make_root(std::string_view prefix, const TypePointer& type, Node& node);
  bool make(const Type& type, std::string name, Node& node, unsigned depth);
  Node* resolve(std::string_view path);
  // Finds all possible fields: a path through a variant leads to one field of each option.
  bool locate(const FieldLocation& location, std::vector<Node*>& found);
  bool refer_to(const std::vector<Node*>& targets, const Type& type, Node& node);
  void take_roles(const Type& type, Node& node);
  std::uint32_t take_slot(Node& node);
  bool refer(const Type& type, Node& node);
  bool fail(std::string why);

  const Metadata& metadata_;
  std::vector<Root> roots_;
  std::vector<Node*> open_;  // structures under construction, outermost first
  std::string_view root_;    // the root under construction
  std::string_view clock_;   // of the stream, in CTF 2
  std::uint32_t slots_ = 0;
  std::size_t nodes_ = 0;
  std::uint64_t location_steps_ = 0;
  std::string error_;
};

// Prepares a structure and its contents for faster decoding; called when all slots and columns are
// known.
void straighten(Node& node);

BriefHeader brief_header_of(const Node& event_header);

// "_name" is "name": tracers prefix an underscore.
inline std::string_view plain_name(std::string_view name) {
  return name.size() > 1 && name.front() == '_' ? name.substr(1) : name;
}

// Integers of these names hold times even if they are not mapped to a clock (CTF 1.8).
bool is_named_for_time(const Node& node);

Node* find_member(Node& structure, std::string_view name);
// Finds the member by this name, or else by the name with a leading underscore.
Node* find_plain_member(Node& structure, std::string_view name);

}  // namespace ringside::tool::ctf
