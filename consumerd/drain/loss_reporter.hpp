#pragma once
// Copies a segment's loss counters into its trace, as LOSSES blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/write/trace_file.hpp"
#include "shm-layout/site_losses.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::consumer {

// The service can write any value to its counters, so each is only compared with the value that was
// last written to the trace. These values are in private memory: a successor writes everything
// since the start of the service again, and readers count each loss once, so no journal is needed.
class LossReporter {
 public:
  explicit LossReporter(AttachedSegment& segment);

  // Appends the losses counted since the last call, if any. `id_limit`: for the sites that the
  // section describes. With `pass`, includes the records that it left out. False if staging is
  // full: nothing was written, and nothing is forgotten.
  bool report(TraceFile& file, std::uint32_t id_limit, RecordPass* pass, std::uint64_t* file_bytes);

  bool has_more() const { return more_; }  // more than one block holds: call report() again

  // The next report() checks every site, even if no counter of a ring or the segment has changed.
  void check_again() { again_ = true; }

 private:
  using Counts = std::array<std::uint64_t, shm::kSiteCauses.size()>;
  static constexpr std::size_t kRefusalCauses = 3;

  void check_segment(trace::LossesBlock* losses) const;
  void check_sites(std::uint32_t id_limit, trace::LossesBlock* losses);
  void remember(const trace::LossesBlock& losses);

  AttachedSegment& segment_;
  std::uint64_t since_tsc_;
  std::uint64_t rings_seen_ = 0;  // loss stamp of the rings when the sites were last checked
  std::array<std::uint64_t, kRefusalCauses> reported_of_segment_{};
  std::vector<Counts> reported_of_sites_;  // by site id; grows with the first loss of a site
  bool more_ = false;
  bool again_ = true;
};

}  // namespace ringside::consumer
