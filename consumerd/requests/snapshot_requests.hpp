#pragma once
// Takes requests for snapshots from the control page and answers them there.

#include <cstdint>
#include <string>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class SnapshotRequests {
 public:
  explicit SnapshotRequests(shm::ControlPage& control) : control_(control) {}

  // Whether a request waits for an answer. A reader that looks at the rings next sees everything
  // published before the request.
  bool asked();

  // Answers the requests seen by the last asked(). `path` is cut if it is too long for the page.
  void answer(const std::string& path, std::uint64_t records, std::uint64_t lost,
              std::uint64_t overwritten);

 private:
  shm::ControlPage& control_;
  std::uint64_t requested_ = 0;
};

}  // namespace ringside::consumer
