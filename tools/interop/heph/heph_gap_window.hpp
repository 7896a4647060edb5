#pragma once
// Missing numbers of one stream whose events can arrive in another order, or twice.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ringside::tool::heph {

class GapWindow {
 public:
  // An event that comes later than this many newer ones is not awaited any more.
  static constexpr std::uint32_t kReach = 1024;
  static constexpr std::size_t kMostGaps = 64;

  struct Gap {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t unix_ns = 0;  // of the event after it
  };
  enum class Seen : std::uint8_t {
    kNew,        // also after a gap, or within one
    kRepeated,   // its number came before
    kSame,       // the same packet came before
    kRestarted,  // the numbers begin again
  };

  // `packet`: the event's bytes. Book(gap) is called for gaps that are not awaited any more.
  template <class Book>
  Seen see(std::uint32_t counter, std::uint64_t unix_ns, std::string_view packet, Book&& book) {
    const auto digest = static_cast<std::uint32_t>(std::hash<std::string_view>()(packet));
    const Seen seen = place(counter, unix_ns, book);
    if (seen == Seen::kRepeated && is_recent({counter, digest})) return Seen::kSame;
    if (recent_.size() < kRecent) {
      recent_.push_back({counter, digest});
    } else {
      recent_[next_recent_++ % kRecent] = {counter, digest};
    }
    return seen;
  }

  // The end of the stream, or of its numbers.
  template <class Book>
  void close(Book&& book) {
    for (const Gap& gap : gaps_) book(gap);
    gaps_.clear();
    recent_.clear();
    begun_ = false;
  }

 private:
  static constexpr std::size_t kRecent = 32;
  struct Recent {
    std::uint32_t counter = 0;
    std::uint32_t digest = 0;
    bool operator==(const Recent&) const = default;
  };

  template <class Book>
  Seen place(std::uint32_t counter, std::uint64_t unix_ns, Book& book) {
    constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
    if (!begun_) {
      begun_ = true;
      last_ = counter;
      return Seen::kNew;
    }
    const std::uint32_t ahead = counter - last_;
    if (ahead != 0 && ahead < kHalf) {
      if (ahead > 1) gaps_.push_back({last_ + 1, ahead - 1, unix_ns});
      last_ = counter;
      while (!gaps_.empty() && (gaps_.size() > kMostGaps || end_of(gaps_.front()) > kReach)) {
        book(gaps_.front());
        gaps_.erase(gaps_.begin());
      }
      return Seen::kNew;
    }
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      const std::uint32_t inside = counter - gap->first;
      if (inside >= gap->count) continue;
      const Gap rest{counter + 1, gap->count - inside - 1, gap->unix_ns};
      gap->count = inside;
      if (rest.count != 0) gap = gaps_.insert(gap + 1, rest) - 1;
      if (gap->count == 0) gaps_.erase(gap);
      return Seen::kNew;
    }
    if (last_ - counter <= kReach) return Seen::kRepeated;
    close(book);
    begun_ = true;
    last_ = counter;
    return Seen::kRestarted;
  }

  // How far the last number is after the gap.
  std::uint32_t end_of(const Gap& gap) const { return last_ - (gap.first + gap.count); }

  bool is_recent(const Recent& wanted) const {
    for (const Recent& one : recent_) {
      if (one == wanted) return true;
    }
    return false;
  }

  std::vector<Gap> gaps_;  // by number
  std::vector<Recent> recent_;
  std::size_t next_recent_ = 0;
  std::uint32_t last_ = 0;
  bool begun_ = false;
};

}  // namespace ringside::tool::heph
