#pragma once
// Takes requests to write everything out from the control page, from the service (flush()) and from
// tools, and answers them there.

#include <cstdint>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class FlushRequests {
 public:
  // Requests that an earlier consumer has not answered are still open.
  explicit FlushRequests(shm::ControlPage& control);

  // Whether a request has arrived since the last take(). A reader that looks at the rings after the
  // first call that returns true sees everything published before the request; later requests
  // belong to the next round.
  bool asked();

  // Everything that the last asked() covers is in the file's first `sealed` bytes, in file order,
  // and these bytes are being written.
  void take(std::uint64_t sealed);

  // Answers the requests taken, once `written` has reached `sealed`.
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
