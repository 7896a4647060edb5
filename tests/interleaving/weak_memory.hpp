#pragma once
// Memory as C++ lets threads see it: a load returns any store that coherence and happens-before
// permit, not only the newest. Each location has one writing thread, so its modification order is
// the order of the program. Plain memory is checked for data races instead.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace ringside::interleaving {

// Answers each question "which of n" of a run: all combinations one after the other, or at random.
class Choices {
 public:
  explicit Choices(std::uint64_t seed = 0) : random_(seed), exhaustive_(seed == 0) {}

  std::size_t choose(std::size_t count) {
    if (count == 1) return 0;
    if (!exhaustive_) return random_() % count;
    if (next_ == made_.size()) made_.push_back({0, count});
    return made_[next_++].chosen;
  }

  // Whether there is another run; it repeats the choices of the previous run except for one.
  bool advance() {
    next_ = 0;
    if (!exhaustive_) return true;
    while (!made_.empty() && made_.back().chosen + 1 == made_.back().count) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::size_t chosen;
    std::size_t count;
  };
  std::vector<Choice> made_;
  std::size_t next_ = 0;
  std::mt19937_64 random_;
  bool exhaustive_;
};

inline constexpr std::size_t kThreads = 2;
inline constexpr std::size_t kLocations = 16;

class WeakMemory {
 public:
  using Accepts = std::function<bool(std::uint64_t)>;

  explicit WeakMemory(Choices& choices) : choices_(choices) {
    for (std::vector<Store>& stores : stores_) stores.push_back({0, {}});
  }

  void store(std::size_t thread, std::size_t location, std::uint64_t value,
             std::memory_order order) {
    View& view = views_[thread];
    view[location] = stores_[location].size();
    View message{};
    if (order == std::memory_order_release) message = view;
    message[location] = view[location];
    stores_[location].push_back({value, message});
  }

  // Whether a load that is repeated until `accepts` holds can end now.
  bool can_load(std::size_t thread, std::size_t location, const Accepts& accepts) const {
    return !readable(thread, location, accepts).empty();
  }

  std::uint64_t load(std::size_t thread, std::size_t location, std::memory_order order,
                     const Accepts& accepts) {
    const std::vector<std::size_t> found = readable(thread, location, accepts);
    const std::size_t index = found[choices_.choose(found.size())];
    const Store& store = stores_[location][index];
    views_[thread][location] = index;
    if (order == std::memory_order_acquire) {
      for (std::size_t i = 0; i < kLocations; ++i) {
        views_[thread][i] = std::max(views_[thread][i], store.message[i]);
      }
    }
    return store.value;
  }

  // A fence of memory_order_seq_cst: sees what the thread of each earlier fence had seen there.
  void fence(std::size_t thread) {
    View& view = views_[thread];
    for (std::size_t i = 0; i < kLocations; ++i) fences_[i] = std::max(fences_[i], view[i]);
    view = fences_;
  }

  // What another party, such as the kernel, reads under a lock that orders it after all stores.
  std::uint64_t newest(std::size_t location) const { return stores_[location].back().value; }
  // The same for a system call of a thread: later loads of the thread return nothing older.
  std::uint64_t newest_for(std::size_t thread, std::size_t location) {
    views_[thread][location] = stores_[location].size() - 1;
    return newest(location);
  }

  // Plain memory. Reads are noted as stores to `reads`, so that a later write can be checked to
  // come after them.
  void write_plain(std::size_t thread, std::size_t location, std::size_t reads,
                   std::uint64_t value) {
    check_newest(thread, location);
    check_newest(thread, reads);
    store(thread, location, value, std::memory_order_relaxed);
  }
  std::uint64_t read_plain(std::size_t thread, std::size_t location, std::size_t reads) {
    check_newest(thread, location);
    store(thread, reads, 0, std::memory_order_relaxed);
    return stores_[location].back().value;
  }
  bool raced() const { return raced_; }

 private:
  using View = std::array<std::size_t, kLocations>;  // the oldest store that can still be seen
  struct Store {
    std::uint64_t value;
    View message;  // what an acquire of it makes visible
  };

  std::vector<std::size_t> readable(std::size_t thread, std::size_t location,
                                    const Accepts& accepts) const {
    std::vector<std::size_t> found;
    for (std::size_t i = views_[thread][location]; i < stores_[location].size(); ++i) {
      if (accepts(stores_[location][i].value)) found.push_back(i);
    }
    return found;
  }
  void check_newest(std::size_t thread, std::size_t location) {
    raced_ = raced_ || views_[thread][location] + 1 != stores_[location].size();
  }

  Choices& choices_;
  std::array<std::vector<Store>, kLocations> stores_;
  std::array<View, kThreads> views_{};
  View fences_{};  // seen at the last fence
  bool raced_ = false;
};

}  // namespace ringside::interleaving
