// Decoded records packed tightly: many of them stay in a cache, unlike Record and its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Texts stay in the decoder's memory; constants are taken from the site. Bounded.
class RecordRows {
 public:
  using Row = std::uint32_t;

  // Discards all rows.
  void clear() { used_ = 0; }
  // There is no room for one more row of any size.
  bool full() const { return used_ > kWords; }

  // All records must have sites of one SiteTable, which outlives the rows. Do not call when full().
  Row add(std::uint64_t unix_ns, const Record& record);

  std::uint64_t unix_ns(Row row) const { return head(row).unix_ns; }
  std::uint64_t sequence(Row row) const { return head(row).sequence; }
  void prefetch(Row row) const {
    const std::uint64_t* const words = words_.get() + row;
    __builtin_prefetch(words);
    __builtin_prefetch(words + 8);
  }
  // All of `record` except its stream. Its arguments are valid until the next get() for the site.
  void get(Row row, Record& record);

 private:
  static constexpr std::size_t kWords = std::size_t{1} << 20;

  // The common layout of all rows of one site.
  struct Layout {
    const Site* site = nullptr;
    bool numbers_only = false;          // all fields are variable and of one word
    std::vector<std::uint16_t> words;   // fields that have only Value::u64
    std::vector<std::uint16_t> values;  // the other variable fields
    std::vector<Value> args;            // of the last record from get()
  };
  struct Head {
    std::uint64_t unix_ns = 0;
    std::uint64_t tsc = 0;
    std::uint64_t sequence = 0;
    std::uint32_t site = 0;  // its id
    std::uint16_t extended = 0;
    std::uint16_t processor = 0;
  };
  static constexpr std::size_t kHeadWords = sizeof(Head) / 8;
  static constexpr std::size_t kExtensionWords = (sizeof(RecordExtension) + 7) / 8;
  static constexpr std::size_t kValueWords = sizeof(Value) / 8;
  static constexpr std::size_t kMostRowWords =
      kHeadWords + kExtensionWords + std::size_t{shm::kMaxFields} * kValueWords;

  const Head& head(Row row) const { return *reinterpret_cast<const Head*>(words_.get() + row); }
  const Layout& make_layout(const Site& site);

  std::unique_ptr<std::uint64_t[]> words_;  // kWords, and room for one row
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Layout>> layouts_;  // by site id, which is untrusted
};

}  // namespace ringside::trace
