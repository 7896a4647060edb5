#include "consumerd/files/low_priority.hpp"

#include <cstring>
#include <sched.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/syscall.h>

namespace ringside::consumer {

void run_at_low_priority() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  setpriority(PRIO_PROCESS, 0, 10);
  constexpr int kIoprioWhoProcess = 1;
  constexpr int kIoprioLowest =
      2 << 13 | 7;  // best effort, lowest priority; "idle" might never run
  syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, kIoprioLowest);
  cpu_set_t all;
  std::memset(&all, 0xFF, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace ringside::consumer
