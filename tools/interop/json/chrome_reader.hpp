#pragma once
// Chrome's trace event format: its events, one by one.
//
// Source: "Trace Event Format", Google, and the output of common producers.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/json/json_cutter.hpp"
#include "tools/interop/json/json_tree.hpp"

namespace ringside::tool::chrome {

// A null member means that the event does not have it.
struct TraceEvent {
  std::uint64_t offset = 0;
  char phase = '\0';  // 0: not a single character
  const JsonNode* name = nullptr;
  const JsonNode* category = nullptr;
  const JsonNode* pid = nullptr;
  const JsonNode* tid = nullptr;
  const JsonNode* time = nullptr;
  const JsonNode* duration = nullptr;
  const JsonNode* id = nullptr;
  std::optional<std::uint32_t> args;  // index of an object
  std::vector<std::uint32_t> others;  // indices of all other members
};

enum class Step : std::uint8_t {
  kEvent,
  kEnd,
  kDamaged,  // why(), at offset()
  kRefused,
};

// Memory: the largest event, within the reader's limits. Not thread-safe.
class Reader {
 public:
  static constexpr std::size_t kMostEventBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMostFactsBytes = std::size_t{1} << 20;  // of otherData
  static constexpr std::size_t kMostMembers = 1000;                     // that are reported

  explicit Reader(InputBytes& input) : input_(input), cutter_(input) {}

  Step next();
  const TraceEvent& event() const { return event_; }
  const JsonTree& tree() const { return tree_; }  // of the event
  const std::string& why() const { return why_; }
  std::uint64_t offset() const { return damaged_at_; }

  bool is_object() const { return is_object_; }  // false: only the array of events
  bool is_closed() const { return is_closed_; }  // the array has its closing bracket
  // Whether ringcat wrote the file, and the time that its times count from; known only if both
  // precede the events.
  bool is_own() const { return is_own_; }
  std::uint64_t base_unix_ns() const { return base_unix_ns_; }
  // The members other than traceEvents.
  const std::vector<std::string>& members() const { return members_; }

 private:
  enum class Place : std::uint8_t { kBegin, kMembers, kEvents, kEnd };

  Step fail(std::string why, std::size_t at = 0);
  // Empty: continue at the next place.
  std::optional<Step> begin();
  std::optional<Step> next_member();
  std::optional<Step> next_event();
  std::optional<Step> end_array();
  bool cut(std::size_t most, std::span<const std::byte>& bytes);
  bool take_key(std::string& key);
  void take_facts();
  void look();

  InputBytes& input_;
  JsonCutter cutter_;
  JsonTree tree_;
  TraceEvent event_;
  Place place_ = Place::kBegin;
  bool is_object_ = false;
  bool is_closed_ = false;
  bool is_first_ = true;  // in its array or object
  bool has_delivered_ = false;
  bool is_own_ = false;
  std::uint64_t base_unix_ns_ = 0;
  std::vector<std::string> members_;
  std::string why_;
  std::uint64_t damaged_at_ = 0;
};

}  // namespace ringside::tool::chrome
