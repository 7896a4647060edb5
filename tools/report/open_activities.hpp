#pragma once
// Which activity a record without one belongs to: that of the innermost span around it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::tool {

// Spans with an activity, in the order of their begins, as the reader sorts events: a span precedes
// the records within it. Memory: kMostOpen spans for each thread, and for each of the latest
// kMostTasks tasks. Not thread-safe.
class OpenActivities {
 public:
  using Id = std::array<std::uint8_t, 16>;
  static constexpr std::size_t kMostOpen = 64;
  static constexpr std::size_t kMostTasks = 4'096;

  // Where a record ran. Spans of a thread do not contain the records of its substreams.
  struct Place {
    std::uint32_t thread = 0;
    std::uint64_t substream = 0;  // 0: none
    std::uint32_t scope = 0;      // of the substream's number: the process of a task, or the thread
  };

  static constexpr std::uint64_t kNoEnd = UINT64_MAX;

  // A span with two records comes twice, in any order, with the number `span`; the one of its begin
  // has kNoEnd. Other spans have 0.
  void open(const Place& place, std::uint64_t end_ns, const Id& id, std::uint64_t span = 0) {
    Stack& stack = stack_of(place);
    const auto same = std::find_if(stack.open.rbegin(), stack.open.rend(), [&](const Open& one) {
      return span != 0 && one.span == span && one.id == id;
    });
    if (same != stack.open.rend()) {
      same->end_ns = std::min(same->end_ns, end_ns);
    } else {
      // What has ended is removed when a record asks.
      if (stack.open.size() >= kMostOpen) stack.open.erase(stack.open.begin());
      stack.open.push_back({end_ns, span, id});
    }
    stack.until_ns = std::max(stack.until_ns, end_ns);
  }

  // Null: no span with an activity contains this time.
  const Id* at(const Place& place, std::uint64_t unix_ns) {
    Stack* const stack = known_stack(place);
    if (stack == nullptr || stack->until_ns < unix_ns) [[likely]]
      return nullptr;
    std::erase_if(stack->open, [unix_ns](const Open& one) { return one.end_ns < unix_ns; });
    stack->until_ns = 0;
    for (const Open& one : stack->open) stack->until_ns = std::max(stack->until_ns, one.end_ns);
    return stack->open.empty() ? nullptr : &stack->open.back().id;
  }

 private:
  struct Open {
    std::uint64_t end_ns = 0;
    std::uint64_t span = 0;
    Id id{};
  };
  struct Stack {
    std::uint64_t until_ns = 0;
    std::vector<Open> open;
  };
  using Key = std::pair<std::uint32_t, std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (key.second ^ std::uint64_t{key.first} << 32) * 0x9E3779B97F4A7C15;
    }
  };

  Stack* known_stack(const Place& place) {
    if (place.substream == 0)
      return place.thread < threads_.size() ? &threads_[place.thread] : nullptr;
    const auto found = tasks_.find({place.scope, place.substream});
    return found == tasks_.end() ? nullptr : &found->second;
  }
  Stack& stack_of(const Place& place) {
    if (place.substream == 0) {
      if (place.thread >= threads_.size()) threads_.resize(std::size_t{place.thread} + 1);
      return threads_[place.thread];
    }
    const Key key{place.scope, place.substream};
    if (tasks_.size() >= kMostTasks && !tasks_.contains(key)) tasks_.clear();
    return tasks_[key];
  }

  std::vector<Stack> threads_;  // by number
  std::unordered_map<Key, Stack, KeyHash> tasks_;
};

}  // namespace ringside::tool
