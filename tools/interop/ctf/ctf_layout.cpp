#include "tools/interop/ctf/ctf_layout.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace ringside::tool::ctf {
namespace {

constexpr unsigned kMostNesting = 60;
constexpr std::size_t kMostNodes = 500'000;
constexpr const char* kTooManyFields = "more than half a million fields in all kinds of events";

bool is_numeric_slot(const Node& node) {
  return node.kind == TypeKind::kInteger || node.kind == TypeKind::kEnum;
}

// Takes the first name from the front of a path.
std::string_view take_name(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return name;
}

bool is_below(std::string_view path, std::string_view prefix) {
  return path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] == '.';
}

Node* walk(Node& structure, std::string_view path) {
  Node* node = &structure;
  while (node != nullptr && !path.empty()) node = find_member(*node, take_name(path));
  return node != nullptr && is_numeric_slot(*node) ? node : nullptr;
}

bool is_straight(const Node& node) {
  const bool is_number = is_numeric_slot(node) || node.kind == TypeKind::kFloat;
  const bool has_whole_bytes =
      node.bits == 8 || node.bits == 16 || node.bits == 32 || node.bits == 64;
  return is_number && has_whole_bytes && node.align_bits <= 8 && node.role == NodeRole::kPlain &&
         node.mode == ColumnMode::kNumber && !node.is_odd;
}

}  // namespace

void straighten(Node& node) {
  for (Node& child : node.children) straighten(child);
  node.parts.clear();
  if (node.kind != TypeKind::kStruct || node.column != kNone) return;
  bool goes_on = false;
  for (std::uint32_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    const bool straight = is_straight(child);
    if (!straight || !goes_on) node.parts.push_back({i, 0, {}});
    goes_on = straight;
    if (!straight) continue;
    NodePart& part = node.parts.back();
    const auto bytes = static_cast<std::uint8_t>(child.bits / 8);
    part.bytes += bytes;
    part.numbers.push_back({child.slot, child.column, bytes, child.big_endian, child.is_signed});
  }
}

BriefHeader brief_header_of(const Node& header) {
  if (header.kind != TypeKind::kStruct || header.align_bits != 8 || header.children.size() != 2)
    return {};
  const Node& id = header.children[0];
  const Node& variant = header.children[1];
  const bool is_tag = is_numeric_slot(id) && id.role == NodeRole::kEventId && id.slot != kNone &&
                      variant.kind == TypeKind::kVariant && variant.reference == id.slot;
  if (!is_tag || id.is_signed || id.big_endian || id.is_odd || variant.choices.empty()) return {};
  const Node::Choice& choice = variant.choices.front();
  const Node& chosen = variant.children[choice.option];
  if (chosen.kind != TypeKind::kStruct || chosen.children.size() != 1) return {};
  const Node& clock = chosen.children[0];
  const bool is_clock = is_numeric_slot(clock) && clock.role == NodeRole::kClock &&
                        clock.slot == kNone && !clock.big_endian && !clock.is_odd;
  const std::uint32_t bits = id.bits + clock.bits;
  const bool follows = id.bits % chosen.align_bits == 0 && id.bits % clock.align_bits == 0;
  if (!is_clock || !follows || id.align_bits > 8 || bits % 8 != 0 || bits >= 64) return {};
  return {id.bits, clock.bits, id.slot, choice.first, choice.last};
}

bool is_named_for_time(const Node& node) {
  return node.kind == TypeKind::kInteger && !node.type->is_json &&
         (node.name == "timestamp" || node.name == "timestamp_begin" ||
          node.name == "timestamp_end");
}

Node* find_member(Node& structure, std::string_view name) {
  if (structure.kind != TypeKind::kStruct) return nullptr;
  const auto found = std::find_if(structure.children.begin(), structure.children.end(),
                                  [name](const Node& member) { return member.name == name; });
  return found == structure.children.end() ? nullptr : &*found;
}

Node* find_plain_member(Node& structure, std::string_view name) {
  Node* const node = find_member(structure, name);
  return node != nullptr ? node : find_member(structure, "_" + std::string(name));
}

bool LayoutMaker::fail(std::string why) {
  if (error_.empty()) error_ = std::move(why);
  return false;
}

std::uint32_t LayoutMaker::take_slot(Node& node) {
  if (node.slot == kNone) node.slot = slots_++;
  return node.slot;
}

std::uint32_t LayoutMaker::slot_of(Node& structure, std::string_view name) {
  Node* const node = find_plain_member(structure, name);
  return node != nullptr && is_numeric_slot(*node) ? take_slot(*node) : kNone;
}

Node* LayoutMaker::resolve(std::string_view path) {
  if (!open_.empty() && is_below(path, open_.front()->name))
    return walk(*open_.front(), path.substr(open_.front()->name.size() + 1));
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
    if (Node* const node = walk(**open, path)) return node;
  }
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    if (is_below(path, root->prefix))
      return walk(*root->node, path.substr(root->prefix.size() + 1));
    if (Node* const node = walk(*root->node, path)) return node;
  }
  return nullptr;
}

bool LayoutMaker::refer(const Type& type, Node& node) {
  const Node* target = nullptr;
  if (type.location != nullptr) {
    std::vector<Node*> targets;
    if (!locate(*type.location, targets)) {
      return fail(fmt::format("'{}' requires the field '{}', which is not an integer before it",
                              node.name, plain_name(*type.location->path.back())));
    }
    if (!refer_to(targets, type, node)) return false;
    target = targets.front();
  } else if (Node* const named = resolve(type.reference)) {
    node.reference = take_slot(*named);
    target = named;
  } else {
    return fail(fmt::format("'{}' requires the field '{}', which is not an integer before it",
                            node.name, type.reference));
  }
  if (type.kind == TypeKind::kSequence) return true;
  const std::vector<EnumRange>& ranges = type.ranges.empty() ? target->type->ranges : type.ranges;
  if (target->kind != TypeKind::kEnum && type.ranges.empty())
    return fail(fmt::format("the tag of '{}' is not an enumeration", node.name));
  std::map<std::string_view, std::uint32_t> options;
  for (std::uint32_t i = 0; i < node.children.size(); ++i)
    options.try_emplace(plain_name(node.children[i].name), i);
  nodes_ += ranges.size();
  if (nodes_ > kMostNodes) return fail(kTooManyFields);
  for (const EnumRange& range : ranges) {
    const auto option = options.find(plain_name(range.label));
    if (option != options.end()) node.choices.push_back({range.first, range.last, option->second});
  }
  return true;
}

bool LayoutMaker::make(const Type& type, std::string name, Node& node, unsigned depth) {
  if (depth > kMostNesting) return fail("fields are nested more than 60 deep");
  if (++nodes_ > kMostNodes) return fail(kTooManyFields);
  node.kind = type.kind;
  node.name = std::move(name);
  node.type = &type;
  node.bits = type.bits;
  node.align_bits = type.align_bits;
  node.is_signed = type.is_signed;
  node.is_text = type.is_text;
  node.base = type.base;
  node.length = type.length;
  node.big_endian =
      type.order == ByteOrder::kBig || (type.order == ByteOrder::kNative && metadata_.big_endian);
  node.is_odd = type.is_variable || type.is_reversed || type.is_boolean;
  if (type.is_json) {
    if (type.roles != 0) take_roles(type, node);
    if (!error_.empty()) return false;
  } else if (root_ == "stream.event.header" && is_numeric_slot(node)) {
    const bool is_time = !type.clock.empty() || is_named_for_time(node);
    if (is_time && metadata_.find_clock(type.clock) != nullptr) node.role = NodeRole::kClock;
    if (node.name == "id") node.role = NodeRole::kEventId;
  }
  if (type.element != nullptr) {
    if (type.kind == TypeKind::kSequence && !refer(type, node)) return false;
    return make(*type.element, node.name, node.children.emplace_back(), depth + 1);
  }
  // Other nodes refer to members by address.
  node.children.reserve(type.members.size());
  const bool is_struct = type.kind == TypeKind::kStruct;
  if (is_struct) open_.push_back(&node);
  for (const Member& member : type.members) {
    if (member.type == nullptr ||
        !make(*member.type, member.name, node.children.emplace_back(), depth + 1)) {
      return fail("a field without a type");
    }
  }
  if (is_struct) open_.pop_back();
  return type.kind != TypeKind::kVariant || refer(type, node);
}

bool LayoutMaker::make_root(std::string_view prefix, const TypePointer& type, Node& node) {
  node = {};
  if (type == nullptr) return true;
  if (type->kind != TypeKind::kStruct) return fail(fmt::format("{} is not a structure", prefix));
  open_.clear();
  root_ = prefix;
  if (!make(*type, std::string(prefix), node, 0)) return false;
  roots_.push_back({prefix, &node});
  return true;
}

bool LayoutMaker::make_packet_header(Node& header) {
  roots_.clear();
  return make_root("trace.packet.header", metadata_.packet_header, header);
}

bool LayoutMaker::make_stream(const StreamDescription& description, StreamLayout& stream) {
  std::erase_if(roots_, [](const Root& root) { return root.prefix != "trace.packet.header"; });
  clock_ = description.clock;
  return make_root("stream.packet.context", description.packet_context, stream.packet_context) &&
         make_root("stream.event.header", description.event_header, stream.event_header) &&
         make_root("stream.event.context", description.event_context, stream.event_context);
}

bool LayoutMaker::make_event(const EventDescription& description, StreamLayout& stream,
                             EventLayout& event) {
  error_.clear();
  std::erase_if(roots_, [](const Root& root) { return root.prefix != "trace.packet.header"; });
  roots_.push_back({"stream.packet.context", &stream.packet_context});
  roots_.push_back({"stream.event.header", &stream.event_header});
  roots_.push_back({"stream.event.context", &stream.event_context});
  return make_root("event.context", description.context, event.context) &&
         make_root("event.fields", description.fields, event.fields);
}

}  // namespace ringside::tool::ctf
