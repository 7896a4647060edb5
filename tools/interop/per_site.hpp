#pragma once
// What a writer remembers of each statement.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Bounded: when it is full it is cleared, and entries are created again on request. Not
// thread-safe.
template <class Facts>
class PerSite {
 public:
  // Make(const trace::Site&) -> Facts, called for the first record of a statement.
  template <class Make>
  Facts& of(const trace::Event& event, Make&& make) {
    const std::uint64_t key = std::uint64_t{event.section} << 32 | event.record.site->id;
    Recent& recent = recent_[(key ^ key >> 29) % kRecent];
    if (recent.facts != nullptr && recent.key == key) [[likely]]
      return *recent.facts;
    auto& place = facts_[key];
    if (place == nullptr) place = std::make_unique<Facts>(make(*event.record.site));
    recent = {key, place.get()};
    return *place;
  }

  bool is_full() const { return facts_.size() >= kMost; }
  void clear() {
    facts_.clear();
    recent_ = {};
  }

 private:
  static constexpr std::size_t kRecent = 1024;
  static constexpr std::size_t kMost = 50'000;
  struct Recent {
    std::uint64_t key = 0;
    Facts* facts = nullptr;
  };

  std::array<Recent, kRecent> recent_{};
  std::unordered_map<std::uint64_t, std::unique_ptr<Facts>> facts_;
};

}  // namespace ringside::tool
