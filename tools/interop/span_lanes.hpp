#pragma once
// Arranges the spans of one thread as stacks: spans that overlap without nesting go to separate
// stacks.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::tool {

// Spans are opened in the order of their begins; `What` is what the writer remembers of each.
// Memory: the open spans. Not thread-safe.
template <class What>
class SpanLanes {
 public:
  // Spans beyond this number side by side are cut.
  static constexpr std::size_t kMostLanes = 256;

  struct Span {
    std::uint64_t end = 0;
    std::uint64_t number = 0;  // in the order in which they were opened
    What what{};
  };

  // Closes the spans that end up to `unix_ns`: Close(lane, span), inner ones first.
  template <class Close>
  void close(std::uint64_t unix_ns, Close&& close) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::vector<Span>& spans = lanes_[lane];
      while (!spans.empty() && spans.back().end <= unix_ns) {
        close(lane, spans.back());
        spans.pop_back();
      }
    }
  }

  struct Place {
    std::size_t lane = 0;  // 0 unless it overlaps
    std::uint64_t end = 0;
    bool was_cut = false;          // it was ended early
    const Span* parent = nullptr;  // until the next call
  };

  // Call after close(): where the span up to `end` belongs.
  Place place_of(std::uint64_t end) const {
    Place place{0, end};
    while (place.lane < lanes_.size() && !lanes_[place.lane].empty() &&
           lanes_[place.lane].back().end < end) {
      ++place.lane;
    }
    if (place.lane == kMostLanes) {
      --place.lane;
      place.end = lanes_[place.lane].back().end;
      place.was_cut = true;
    }
    if (place.lane < lanes_.size() && !lanes_[place.lane].empty()) {
      place.parent = &lanes_[place.lane].back();
    }
    return place;
  }

  void open(const Place& place, const What& what) {
    if (place.lane == lanes_.size()) lanes_.emplace_back();
    lanes_[place.lane].push_back({place.end, opened_++, what});
  }

  // Call after close(): of the spans of all lanes that last up to `end` and for which
  // `is_wanted(what)` is true, the one that was opened last. Null if there is none; valid until the
  // next call.
  template <class IsWanted>
  const Span* around(std::uint64_t end, IsWanted&& is_wanted) const {
    const Span* latest = nullptr;
    for (const std::vector<Span>& lane : lanes_) {
      for (auto span = lane.rbegin(); span != lane.rend(); ++span) {
        if (latest != nullptr && span->number < latest->number) break;
        if (span->end < end || !is_wanted(span->what)) continue;
        latest = &*span;
        break;
      }
    }
    return latest;
  }

  // The innermost open span of the first lane; null if there is none.
  const Span* innermost() const {
    return lanes_.empty() || lanes_[0].empty() ? nullptr : &lanes_[0].back();
  }

 private:
  std::vector<std::vector<Span>> lanes_;  // outermost first
  std::uint64_t opened_ = 0;
};

}  // namespace ringside::tool
