#pragma once
// The services that run now, as `ringstat` sees them: whether a consumer reads them, and what their
// log calls cost, where RINGSIDE_COST_SAMPLING measures it.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "tools/ringview/live_board.hpp"

namespace ringside::tool {

// The members `services` and `call_costs` (README.md, "Live") of what `ringstat --once --json`
// prints; that nothing is known, if it is not that.
LiveServices services_of(std::string_view ringstat_json);

// Asks `program`, a ringstat, about the services of this directory. Takes about 200 ms.
LiveServices ask_services(const std::string& program, const std::string& shm_dir);

// Asks now and then, from a thread of its own, and puts what is new on the board.
class ServiceWatch {
 public:
  // The board must outlive it.
  ServiceWatch(LiveBoard& board, std::function<LiveServices()> ask,
               std::chrono::milliseconds interval);
  ~ServiceWatch();
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;

 private:
  void run();

  LiveBoard& board_;
  const std::function<LiveServices()> ask_;
  const std::chrono::milliseconds interval_;
  std::thread thread_;
};

}  // namespace ringside::tool
