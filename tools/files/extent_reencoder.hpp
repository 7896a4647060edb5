#pragma once
// Encodes some records of an extent again, with the sequence numbers that they have.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// Each run of consecutive records becomes an extent, or several if it is long. Not thread-safe.
class ExtentReencoder {
 public:
  // Gets each block, which lives during the call.
  using Take = std::function<void(const trace::ExtentHeader&, std::span<const std::byte> block)>;

  explicit ExtentReencoder(Take take) : take_(std::move(take)) {}

  // Adds entries of the dictionary, which is that of the records. False at an invalid one.
  bool add_sites(std::span<const std::byte> entries, std::string* why);

  // Records of this stream and processor follow. `watermark`: of the last sequence point before
  // them.
  void begin(const trace::ExtentHeader& header, std::uint64_t watermark);
  // Losses directly before the next record, as `header` of the original states them.
  void add_losses(const trace::ExtentHeader& header);
  void add(const trace::Record& record);
  // Ends the run, if there is one.
  void end_run();

  // Whether the next record of the original would continue a run.
  bool is_in_run() const { return !ring_.empty(); }
  // Whether records since begin() could not be encoded.
  bool has_failed() const { return has_failed_; }

 private:
  trace::SiteTable stamped_sites_;  // all with their own clock: their records have times
  trace::ExtentEncoder encoder_{stamped_sites_};
  Take take_;
  std::uint64_t watermark_ = 0;
  bool has_failed_ = false;
  // The run.
  std::string ring_;  // its records in the form used in rings
  std::uint64_t stream_id_ = 0;
  std::uint64_t first_sequence_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t first_tsc_ = 0;
  std::uint64_t last_tsc_ = 0;
  std::uint32_t processor_ = 0;     // its code
  bool is_lost_only_ = false;       // it has lost records, but no record yet
  trace::StreamContext context_;    // before its first record
  std::size_t context_values_ = 0;  // of the contexts that it enters
};

}  // namespace ringside::tool
