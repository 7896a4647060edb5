#pragma once
// Arranges the spans of one thread as stacks, one for each substream: what a substream does is
// never within a span of another one. Spans that overlap without nesting go to separate stacks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::tool {

// Spans are opened in the order of their begins; `What` is what the writer remembers of each. A
// lane holds one stack. The first kMostOwnLanes lanes keep their substream; lanes beyond serve
// another one when they are empty. Memory: these lanes, and the open spans. Not thread-safe.
template <class What>
class SpanLanes {
 public:
  // Spans of one substream beyond this number side by side are cut.
  static constexpr std::size_t kMostLanes = 256;
  static constexpr std::size_t kMostOwnLanes = 256;

  struct Span {
    std::uint64_t end = 0;
    std::uint64_t number = 0;  // in the order in which they were opened
    What what{};
  };

  // Closes the spans that end up to `unix_ns`: Close(lane, span), in order of their ends, inner
  // ones first.
  template <class Close>
  void close(std::uint64_t unix_ns, Close&& close) {
    while (!ends_.empty() && ends_.top().first <= unix_ns) {
      const std::size_t number = ends_.top().second;
      ends_.pop();
      Lane& lane = lanes_[number];
      close(number, lane.spans.back());
      lane.spans.pop_back();
      if (lane.spans.empty() && number >= kMostOwnLanes) release(number);
    }
  }

  struct Place {
    std::size_t lane = 0;  // 0 for spans without a substream unless they overlap
    std::uint64_t end = 0;
    std::uint64_t substream = 0;
    bool is_beside = false;        // it overlaps another span of its substream
    bool was_cut = false;          // it was ended early
    const Span* parent = nullptr;  // until the next call
  };

  // Call after close(): where the span up to `end` belongs.
  Place place_of(std::uint64_t end, std::uint64_t substream) const {
    const std::vector<std::size_t>& own = lanes_of(substream);
    Place place{.end = end, .substream = substream};
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::vector<Span>& spans = lanes_[own[i]].spans;
      const bool is_last = i + 1 == kMostLanes;
      if (!spans.empty() && spans.back().end < end && !is_last) continue;
      place.lane = own[i];
      place.is_beside = i != 0;
      if (spans.empty()) return place;
      place.parent = &spans.back();
      place.was_cut = place.parent->end < end;
      if (place.was_cut) place.end = place.parent->end;
      return place;
    }
    place.lane = next_lane();
    place.is_beside = !own.empty();
    return place;
  }

  void open(const Place& place, const What& what) {
    Lane& lane = take(place.lane, place.substream);
    lane.spans.push_back({place.end, opened_++, what});
    ends_.emplace(place.end, place.lane);
  }

  // Call after close(): the lane for a record of the substream that is not a span.
  std::size_t lane_for(std::uint64_t substream) {
    const std::vector<std::size_t>& own = lanes_of(substream);
    if (!own.empty()) return own.front();
    const std::size_t number = next_lane();
    if (number < kMostOwnLanes) {
      take(number, substream);
    } else if (number == lanes_.size()) {
      lanes_.emplace_back();
      free_.push_back(number);
    }
    return number;
  }

  // Call after close(): of the spans of all lanes of the substream that last up to `end` and for
  // which `is_wanted(what)` is true, the one that was opened last. Null if there is none; valid
  // until the next call.
  template <class IsWanted>
  const Span* around(std::uint64_t end, std::uint64_t substream, IsWanted&& is_wanted) const {
    const Span* latest = nullptr;
    for (const std::size_t number : lanes_of(substream)) {
      const std::vector<Span>& spans = lanes_[number].spans;
      for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        if (latest != nullptr && span->number < latest->number) break;
        if (span->end < end || !is_wanted(span->what)) continue;
        latest = &*span;
        break;
      }
    }
    return latest;
  }

  // The innermost open span of the substream's first lane; null if there is none.
  const Span* innermost(std::uint64_t substream) const {
    const std::vector<std::size_t>& own = lanes_of(substream);
    if (own.empty() || lanes_[own.front()].spans.empty()) return nullptr;
    return &lanes_[own.front()].spans.back();
  }

  // For viewers, such as "substream 7" and "substream 7 overlapping 2"; "" for lane 0.
  std::string name_of(std::size_t lane) const {
    if (lane >= kMostOwnLanes) return "row " + std::to_string(lane + 1);
    const Lane& named = lanes_[lane];
    std::string name;
    if (named.substream != 0) name = "substream " + std::to_string(named.substream);
    if (named.beside == 0) return name;
    if (!name.empty()) name += ' ';
    return name + "overlapping " + std::to_string(named.beside + 1);
  }

 private:
  struct Lane {
    std::uint64_t substream = 0;
    std::size_t beside = 0;   // how many lanes the substream already had
    std::vector<Span> spans;  // outermost first
  };

  const std::vector<std::size_t>& lanes_of(std::uint64_t substream) const {
    if (substream == 0) return own_;
    const auto found = others_.find(substream);
    return found == others_.end() ? none_ : found->second;
  }

  std::size_t next_lane() const {
    return lanes_.size() < kMostOwnLanes || free_.empty() ? lanes_.size() : free_.back();
  }

  // Gives the lane to the substream unless it has it.
  Lane& take(std::size_t number, std::uint64_t substream) {
    if (number == lanes_.size()) {
      lanes_.emplace_back();
    } else if (free_.empty() || free_.back() != number) {
      return lanes_[number];
    } else {
      free_.pop_back();
    }
    std::vector<std::size_t>& own = substream == 0 ? own_ : others_[substream];
    lanes_[number].substream = substream;
    lanes_[number].beside = own.size();
    own.push_back(number);
    return lanes_[number];
  }

  void release(std::size_t number) {
    const std::uint64_t substream = lanes_[number].substream;
    std::vector<std::size_t>& own = substream == 0 ? own_ : others_[substream];
    std::erase(own, number);
    if (substream != 0 && own.empty()) others_.erase(substream);
    free_.push_back(number);
  }

  using End = std::pair<std::uint64_t, std::size_t>;  // of a span, and its lane

  std::vector<Lane> lanes_{1};
  std::vector<std::size_t> own_{0};  // lanes of what has no substream
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> others_;  // lanes by substream
  std::vector<std::size_t> none_;
  std::vector<std::size_t> free_;  // lanes beyond kMostOwnLanes that are empty
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint64_t opened_ = 0;
};

}  // namespace ringside::tool
