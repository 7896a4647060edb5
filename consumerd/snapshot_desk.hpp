#pragma once
// Takes requests for snapshots from the control page and answers them there.

#include <cstdint>
#include <string>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class SnapshotDesk {
 public:
  explicit SnapshotDesk(shm::ControlPage& control) : control_(control) {}

  // Whether somebody waits. What was published before is seen by whoever looks at the rings next.
  bool asked();

  // To whoever asked before the last asked(). `path` is cut if it is too long for the page.
  void answer(const std::string& path, std::uint64_t records, std::uint64_t lost,
              std::uint64_t overwritten);

 private:
  shm::ControlPage& control_;
  std::uint64_t requested_ = 0;
};

}  // namespace ringside::consumer
