#pragma once
// Takes requests to write everything out, of the service (flush()) and of tools, from the control
// page, and answers them there.

#include <cstdint>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class FlushDesk {
 public:
  // What a consumer before this one has not answered is still to be done.
  explicit FlushDesk(shm::ControlPage& control);

  // Whether somebody has asked since the last take(). What was published before is seen by whoever
  // looks at the rings after the first call that says so; who asks later, is for the next time.
  bool asked();

  // Everything that the last asked() is about lies in the file's first `sealed` bytes in their
  // order, which are on their way.
  void take(std::uint64_t sealed);

  // Answers what was taken, once `written` has reached it.
  void answer(std::uint64_t written);

 private:
  shm::ControlPage& control_;
  std::uint64_t service_seen_;  // by asked()
  std::uint64_t tool_seen_;
  std::uint64_t service_taken_;
  std::uint64_t tool_taken_;
  std::uint64_t sealed_ = 0;
};

}  // namespace ringside::consumer
