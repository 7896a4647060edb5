#pragma once
// An even selection of a sequence whose length is not known beforehand.

#include <cstddef>
#include <cstdint>

namespace ringside::tool {

// Takes each 2^n-th of a sequence, and never more than `most`: when there are more, every second
// one that was taken has to be dropped.
class Thinning {
 public:
  explicit Thinning(std::size_t most) : most_(most) {}

  // The next of the sequence: whether it is taken. `*place`: its number, from 0.
  bool next(std::uint64_t* place) {
    *place = seen_++;
    if (!is_taken(*place)) return false;
    ++taken_;
    return true;
  }

  bool is_full() const { return taken_ > most_; }
  // Afterwards is_taken() says which ones are to be dropped.
  void halve() {
    ++shift_;
    taken_ = static_cast<std::size_t>((seen_ + (std::uint64_t{1} << shift_) - 1) >> shift_);
  }

  bool is_taken(std::uint64_t place) const {
    return (place & ((std::uint64_t{1} << shift_) - 1)) == 0;
  }
  std::uint64_t seen() const { return seen_; }

 private:
  std::size_t most_;
  unsigned shift_ = 0;
  std::uint64_t seen_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace ringside::tool
