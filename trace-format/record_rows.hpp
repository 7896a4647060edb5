// Decoded records packed tightly: many of them stay in a cache, where Record and its values would
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace-format/extent_decoder.hpp"
#include "trace-format/site_table.hpp"
#include "trace-format/value.hpp"

namespace ringside::trace {

// Texts stay where the records' decoder has them; constants are taken from the site. Bounded.
class RecordRows {
 public:
  using Row = std::uint32_t;

  // Gives up all rows.
  void clear() { used_ = 0; }
  // No room for one more, whatever it is.
  bool full() const { return used_ > kWords; }

  // All records must have sites of one SiteTable, which outlives the rows. Not when full().
  Row add(std::uint64_t unix_ns, const Record& record);

  std::uint64_t unix_ns(Row row) const { return head(row).unix_ns; }
  std::uint64_t sequence(Row row) const { return head(row).sequence; }
  void prefetch(Row row) const {
    const std::uint64_t* const words = words_.get() + row;
    __builtin_prefetch(words);
    __builtin_prefetch(words + 8);
  }
  // All of `record` but its stream. Its arguments are good until the next get() of the site.
  void get(Row row, Record& record);

 private:
  static constexpr std::size_t kWords = std::size_t{1} << 20;

  // What rows of one site have in common.
  struct Layout {
    const Site* site = nullptr;
    bool numbers_only = false;         // all fields are variable and of one word
    std::vector<std::uint8_t> words;   // fields of which Value::u64 is all
    std::vector<std::uint8_t> values;  // the other fields that are not constant
    std::vector<Value> args;           // of the record that get() gave last
  };
  struct Head {
    std::uint64_t unix_ns = 0;
    std::uint64_t tsc = 0;
    std::uint64_t sequence = 0;
    std::uint32_t site = 0;  // its id
    std::uint32_t extended = 0;
  };
  static constexpr std::size_t kHeadWords = sizeof(Head) / 8;
  static constexpr std::size_t kExtensionWords = (sizeof(RecordExtension) + 7) / 8;
  static constexpr std::size_t kValueWords = sizeof(Value) / 8;
  static constexpr std::size_t kMostRowWords =
      kHeadWords + kExtensionWords + std::size_t{shm::kMaxFields} * kValueWords;

  const Head& head(Row row) const { return *reinterpret_cast<const Head*>(words_.get() + row); }
  const Layout& make_layout(const Site& site);

  std::unique_ptr<std::uint64_t[]> words_;  // kWords, and room for a row
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Layout>> layouts_;  // by site id, which a file chooses
};

}  // namespace ringside::trace
