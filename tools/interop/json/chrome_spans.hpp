#pragma once
// Spans of Chrome's traces whose begins and ends are separate events.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/json/json_record.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool::chrome {

struct OpenSpan {
  JsonRecord record;
  trace::RecordExtension extension;
  std::uint32_t stream = 0;
  std::uint64_t unix_ns = 0;

  std::size_t bytes() const { return sizeof *this + record.key().size() + record.values().size(); }
};

// A stack for each key, which is a thread or an id. Memory: about 64 MiB at most.
class OpenSpans {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // False, and the span is not stored, if there are too many.
  bool open(const std::string& key, const OpenSpan& span) {
    if (bytes_ + span.bytes() > kMostBytes) return false;
    bytes_ += span.bytes();
    stacks_[key].push_back(span);
    return true;
  }

  // Closes the innermost span of the key. False if none is open.
  bool close(const std::string& key, OpenSpan& span) {
    const auto found = stacks_.find(key);
    if (found == stacks_.end()) return false;
    span = std::move(found->second.back());
    bytes_ -= span.bytes();
    found->second.pop_back();
    if (found->second.empty()) stacks_.erase(found);
    return true;
  }

  // Visits the spans that were never closed.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [key, spans] : stacks_) {
      for (const OpenSpan& span : spans) visit(span);
    }
  }

 private:
  std::unordered_map<std::string, std::vector<OpenSpan>> stacks_;
  std::size_t bytes_ = 0;
};

}  // namespace ringside::tool::chrome
