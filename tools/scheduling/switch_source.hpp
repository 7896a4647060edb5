#pragma once
// The context switches of a process, from the kernel's perf events.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tools/files/owned_fd.hpp"
#include "tools/scheduling/switch_record.hpp"

namespace ringside::tool {

// One event for each thread and processor, which new threads inherit; one ring for each processor.
// The kernel writes a record at each switch; the process is not stopped, and makes no call. Not
// thread-safe.
class SwitchSource {
 public:
  struct Thread {
    std::uint32_t id = 0;
    std::uint64_t since_unix_ns = 0;  // its switches are recorded from then on
  };

  // Begins to record. Null with `*why`: what the kernel refuses, and the remedy.
  static std::unique_ptr<SwitchSource> open(pid_t pid, std::string* why);
  ~SwitchSource();
  SwitchSource(const SwitchSource&) = delete;
  SwitchSource& operator=(const SwitchSource&) = delete;

  // Those that existed at the beginning.
  const std::vector<Thread>& threads() const { return threads_; }

  // Waits until a ring is a quarter full, `stop_fd` is readable, or the time is over. Returns
  // whether `stop_fd` is readable.
  bool wait(int stop_fd, int timeout_ms);
  // Calls `use` for the records up to now, by time: records that a later call passes are later.
  void read(const std::function<void(const SwitchRecord&)>& use);
  // Ends the recording, and reads the rest.
  void finish(const std::function<void(const SwitchRecord&)>& use);

 private:
  // pages of the kernel: a control page, and then the bytes of the ring
  struct Ring {
    std::uint32_t processor = 0;
    int event_fd = -1;  // that it belongs to
    std::byte* pages = nullptr;
    std::size_t bytes = 0;
    bool is_hung_up = false;  // the thread of the event has ended; those that inherited it go on
  };

  explicit SwitchSource(pid_t pid) : pid_(pid) {}
  bool map_ring(int event_fd, Ring* ring, std::string* why);
  bool add_new_threads(bool* added, std::string* why);
  bool add_thread(std::uint32_t thread_id, std::string* why);
  bool add_event(std::uint32_t thread_id, Ring* ring, bool* is_gone, std::string* why);
  void drain(const Ring& ring);
  void use_until(std::uint64_t unix_ns, const std::function<void(const SwitchRecord&)>& use);

  pid_t pid_;
  std::vector<Thread> threads_;
  std::set<std::uint32_t> known_;
  std::vector<OwnedFd> events_;
  std::vector<Ring> rings_;
  std::vector<SwitchRecord> waiting_;  // read, and perhaps later than what other rings will have
  std::vector<std::byte> record_;
};

}  // namespace ringside::tool
