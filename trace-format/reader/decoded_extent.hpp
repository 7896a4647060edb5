// All records of one extent, decoded ahead of their turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace-format/blocks/tick_clock.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_choice.hpp"
#include "trace-format/reader/event_key.hpp"

namespace ringside::trace {

class DecodedExtent {
 public:
  // The minimum memory of the records of an extent; see decode().
  static constexpr std::size_t kRecordBytes = 128;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  // A null `choice` selects all sites. `sites` and `clocks` must outlive the use.
  DecodedExtent(std::vector<std::byte> payload, const SiteTable& sites, const ClockMap& clocks,
                std::shared_ptr<SiteChoice> choice);

  // Called once, by any one thread. Abandons an extent that grows beyond kMostBytes:
  // is_too_large().
  void decode();

  bool is_too_large() const { return too_large_; }
  const std::string& refusal() const { return why_; }  // not empty: the extent is invalid
  const char* failure() const { return failure_; }     // why decoding ended early, or null
  // missing because decoding ended early
  std::uint64_t missing_records() const { return missing_; }

  std::size_t size() const { return records_.size(); }
  EventKey key(std::size_t i) const {
    return {records_[i].unix_ns, header_.stream_id, records_[i].sequence};
  }
  // Views live as long as this object.
  void get(std::size_t i, Record& record) const;

  std::vector<std::byte> take_payload() { return std::move(payload_); }
  RecordContexts take_contexts() { return std::move(contexts_); }

 private:
  struct Kept {
    std::uint64_t unix_ns = 0;
    std::uint64_t tsc = 0;
    std::uint64_t sequence = 0;
    const Site* site = nullptr;
    std::size_t values = 0;       // where its values begin
    std::uint32_t extension = 0;  // its index plus one; 0: none
  };

  std::vector<std::byte> payload_;
  const SiteTable& sites_;
  const ClockMap& clocks_;
  std::shared_ptr<SiteChoice> choice_;
  ExtentHeader header_;
  std::vector<Kept> records_;
  std::vector<Value> values_;
  std::vector<RecordExtension> extensions_;
  RecordContexts contexts_;
  std::string why_;
  const char* failure_ = nullptr;
  std::uint64_t missing_ = 0;
  bool too_large_ = false;
};

}  // namespace ringside::trace
