// Finds the field that a length or a choice depends on, by the locations of CTF 2.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_layout.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPrefixOfOrigin{{
    {"packet-header", "trace.packet.header"},
    {"packet-context", "stream.packet.context"},
    {"event-record-header", "stream.event.header"},
    {"event-record-common-context", "stream.event.context"},
    {"event-record-specific-context", "event.context"},
    {"event-record-payload", "event.fields"},
}};

// For all locations of a trace: a path through variants and out of them again has many ends.
constexpr std::uint64_t kMostSteps = 10'000'000;

class Search {
 public:
  Search(const FieldLocation& location, const std::vector<Node*>& open, std::uint64_t& steps,
         std::vector<Node*>& found)
      : path_(location.path), open_(open), steps_(steps), found_(found) {}

  // `around`: structures, the innermost last.
  void follow(const std::vector<Node*>& around, std::size_t step) {
    if (++steps_ > kMostSteps) return;
    const std::optional<std::string>& name = path_[step];
    if (name) {
      Node* const member = find_member(*around.back(), *name);
      if (member != nullptr) enter(around, *member, step + 1, false);
    } else if (around.size() > 1) {
      follow({around.begin(), around.end() - 1}, step + 1);
    }
  }

 private:
  void enter(const std::vector<Node*>& around, Node& node, std::size_t step, bool in_array) {
    if (++steps_ > kMostSteps) return;
    switch (node.kind) {
      case TypeKind::kInteger:
      case TypeKind::kEnum:
        if (step == path_.size() && !in_array && node.type->is_selector) found_.push_back(&node);
        return;
      case TypeKind::kArray:
      case TypeKind::kSequence:
        if (!node.children.empty()) enter(around, node.children.front(), step, true);
        return;
      case TypeKind::kVariant:
        for (Node& option : node.children) enter(around, option, step, in_array);
        return;
      case TypeKind::kStruct: {
        // Of an array's elements only the one that is being read is known.
        const bool is_open = std::find(open_.begin(), open_.end(), &node) != open_.end();
        if (step == path_.size() || (in_array && !is_open)) return;
        std::vector<Node*> within = around;
        within.push_back(&node);
        follow(within, step);
        return;
      }
      default:
        return;
    }
  }

  const std::vector<std::optional<std::string>>& path_;
  const std::vector<Node*>& open_;
  std::uint64_t& steps_;
  std::vector<Node*>& found_;
};

}  // namespace

bool LayoutMaker::locate(const FieldLocation& location, std::vector<Node*>& found) {
  Search search(location, open_, location_steps_, found);
  const auto is_found = [&] {
    if (location_steps_ > kMostSteps) return fail("field locations lead through too many variants");
    return !found.empty();
  };
  if (location.origin.empty()) {
    if (!open_.empty()) search.follow(open_, 0);
    return is_found();
  }
  const auto* const origin =
      std::find_if(kPrefixOfOrigin.begin(), kPrefixOfOrigin.end(),
                   [&](const auto& one) { return one.first == location.origin; });
  if (origin == kPrefixOfOrigin.end()) return false;
  if (origin->second == root_ && !open_.empty()) search.follow({open_.front()}, 0);
  for (const Root& root : roots_) {
    if (root.prefix == origin->second && root.prefix != root_) search.follow({root.node}, 0);
  }
  return is_found();
}

bool LayoutMaker::refer_to(const std::vector<Node*>& targets, const Type& type, Node& node) {
  const bool wants_boolean = type.is_boolean;
  for (Node* const target : targets) {
    const bool is_sound = target->type->is_boolean == wants_boolean &&
                          (type.kind != TypeKind::kSequence || !target->type->is_signed);
    if (!is_sound)
      return fail(
          fmt::format("'{}' needs a field of another type than '{}'", node.name, target->name));
    if (target->slot != kNone && node.reference != kNone && target->slot != node.reference) {
      return fail(
          fmt::format("'{}' depends on several fields on which other fields depend separately; "
                      "this is not supported",
                      node.name));
    }
    if (target->slot != kNone) node.reference = target->slot;
  }
  if (node.reference == kNone) node.reference = slots_++;
  for (Node* const target : targets) target->slot = node.reference;
  return true;
}

void LayoutMaker::take_roles(const Type& type, Node& node) {
  constexpr std::uint16_t kOfHeader = bit_of(Role::kMagic) | bit_of(Role::kUuid) |
                                      bit_of(Role::kStreamClassId) | bit_of(Role::kStreamId);
  constexpr std::uint16_t kTimes = bit_of(Role::kTimestamp) | bit_of(Role::kEndTimestamp);
  constexpr std::uint16_t kOfContext = kTimes | bit_of(Role::kTotalBits) |
                                       bit_of(Role::kContentBits) | bit_of(Role::kDiscarded) |
                                       bit_of(Role::kSequence);
  const bool in_event_header = root_ == "stream.event.header";
  const bool in_context = root_ == "stream.packet.context";
  if (root_ == "trace.packet.header") node.packet_roles = type.roles & kOfHeader;
  if (in_context) node.packet_roles = type.roles & kOfContext;
  if (node.packet_roles != 0) node.role = NodeRole::kOfPacket;
  if ((node.packet_roles & bit_of(Role::kUuid)) != 0 && !metadata_.stream_uuid)
    fail("packets have a metadata stream UUID, but the preamble has none");
  if ((in_event_header || in_context) && (type.roles & kTimes) != 0 && clock_.empty())
    fail("a timestamp of a data stream class without a default clock class");
  if (!in_event_header) return;
  if ((type.roles & bit_of(Role::kTimestamp)) != 0) node.role = NodeRole::kClock;
  if ((type.roles & bit_of(Role::kEventClassId)) != 0) node.role = NodeRole::kEventId;
}

}  // namespace ringside::tool::ctf
