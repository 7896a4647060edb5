#pragma once
// When the trace of one segment continues in a new file: by the rotation policy, on request, or
// because the present file has lost its name.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "consumerd/configuration/rotation_policy.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/write/trace_file.hpp"
#include "shm-layout/control_page.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

// Time between two checks whether the present files still have their names.
inline constexpr auto kNameCheckInterval = std::chrono::milliseconds(100);

class SegmentRotation {
 public:
  using Clock = std::chrono::steady_clock;

  // `segment`: its name, for the log.
  SegmentRotation(shm::ControlPage& control, const std::string& segment, const Log& log);

  void set_policy(const RotationPolicy& policy) { policy_ = policy; }
  const RotationPolicy& policy() const { return policy_; }
  // The trace continues in a new file, whatever the policy says.
  void request() { requested_ = true; }
  bool is_requested() const { return requested_; }
  // Whether a file has begun since the last call because a tool or the service asked for it.
  bool take_asked() { return std::exchange(was_asked_, false); }

  // `counts`: of the whole session, here and below.
  bool is_due(Clock::time_point now, const TraceFile& file, const DrainCounts& counts);
  // Checks from time to time whether the file has its name. If not, it is astray until rotated():
  // nothing may be written to it. Returns whether the next file should be tried now.
  bool must_leave(Clock::time_point now, const TraceFile& file);
  bool astray() const { return astray_; }

  // The first section begins now.
  void begin_first_section() { section_start_ = Clock::now(); }
  // The first section continues one that an earlier session began at `start`.
  void continue_section(Clock::time_point start) { section_start_ = start; }
  Clock::time_point section_start() const { return section_start_; }
  // The present file has only the front of its section. Answers those who asked for it.
  void rotated(const TraceFile& file, const DrainCounts& counts);
  // The next file cannot be created. That is tried again later.
  void failed(const std::string& why, const TraceFile& file);

  trace::EndBlock section_end(trace::EndReason reason, const DrainCounts& counts) const;

 private:
  enum class Logged : std::uint8_t {
    kNothing,
    kFailure,  // that the next file cannot be created
    kStopped,  // and that draining stops until it can
  };

  shm::ControlPage& control_;
  const std::string& segment_;
  const Log& log_;
  RotationPolicy policy_;
  DrainCounts section_counts_;  // at the beginning of the present section
  Clock::time_point section_start_;
  Clock::time_point retry_;
  Clock::time_point last_name_check_;
  std::uint64_t front_bytes_ = 0;  // of the present file; 0 if this session only continued it
  std::uint64_t asked_;            // by tools
  std::uint64_t service_asked_;    // by the service
  bool requested_ = false;
  bool astray_ = false;
  Logged logged_ = Logged::kNothing;
  bool was_asked_ = false;  // since take_asked()
};

}  // namespace ringside::consumer
