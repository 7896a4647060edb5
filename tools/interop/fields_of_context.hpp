#pragma once
// Records with the fields of their context among their own, for formats that have no contexts.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tools/interop/foreign_format.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Not thread-safe.
class FieldsOfContext {
 public:
  explicit FieldsOfContext(const ForeignFormat& format) : is_needed_(!format.carries_contexts) {}

  // The event itself if it has no context, or the format has contexts. Otherwise a copy, of a
  // statement of its own that has also the fields of the context, named context.NAME. Valid until
  // the next call.
  const trace::Event& of(const trace::Event& event) {
    return is_needed_ && event.kind == trace::EventKind::kRecord && event.record.context != nullptr
               ? joined(event)
               : event;
  }

 private:
  struct Key {
    std::uint32_t section = 0;
    std::uint32_t site = 0;
    std::uint32_t context = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      constexpr std::size_t kFactor = 0x9E3779B97F4A7C15;
      return ((key.section * kFactor + key.site) * kFactor + key.context) * kFactor >> 7;
    }
  };
  static constexpr std::size_t kMost = 10'000;

  const trace::Event& joined(const trace::Event& event);

  bool is_needed_;
  std::unordered_map<Key, std::unique_ptr<trace::Site>, KeyHash> sites_;
  std::uint32_t next_id_ = UINT32_MAX;  // downwards: far from those of statements
  trace::Event event_;
  std::vector<trace::Value> values_;
};

}  // namespace ringside::tool
