#pragma once
// Carries a segment's counters of losses into its trace: LOSSES blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/record_pass.hpp"
#include "consumerd/trace_file.hpp"
#include "shm-layout/site_losses.hpp"
#include "trace-format/losses_block.hpp"

namespace ringside::consumer {

// Counters are what a service says: any value may stand there, and each is only ever compared with
// what was told of it. Keeps in private memory what it has told. A successor tells everything since
// the start of the service again, and readers count each loss once: so nothing of this needs a
// journal.
class LossTeller {
 public:
  explicit LossTeller(AttachedSegment& segment);

  // Appends what was counted since the last time, if anything. `id_limit`: of the sites that the
  // section describes. With `pass`, also of what that has left out. False if staging is full:
  // nothing was told, and nothing is forgotten.
  bool tell(TraceFile& file, std::uint32_t id_limit, RecordPass* pass, std::uint64_t* file_bytes);

  bool has_more() const { return more_; }  // than one block takes: again

  // The next tell() looks at every site, whether or not a ring or the segment has counted more.
  void look_again() { again_ = true; }

 private:
  using Counts = std::array<std::uint64_t, shm::kCountedCauses.size()>;
  static constexpr std::size_t kRefusalCauses = 3;

  void look_at_segment(trace::LossesBlock* losses) const;
  void look_at_sites(std::uint32_t id_limit, trace::LossesBlock* losses);
  void remember(const trace::LossesBlock& losses);

  AttachedSegment& segment_;
  std::uint64_t since_tsc_;
  std::uint64_t rings_seen_ = 0;  // their stamp, when the sites were looked at
  std::array<std::uint64_t, kRefusalCauses> told_of_segment_{};
  std::vector<Counts> told_of_sites_;  // by site id; grows with the first loss of a site
  bool more_ = false;
  bool again_ = true;
};

}  // namespace ringside::consumer
