// One thread with an epoll loop that serves its share of the connections, and sweeps its share of
// the store's shards for expired keys.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "libagent/examples/kvd/connection.hpp"
#include "libagent/examples/kvd/failure.hpp"
#include "libagent/examples/kvd/server_state.hpp"
#include "libagent/examples/kvd/unique_fd.hpp"

namespace kvd {

class Worker {
 public:
  // `server` outlives the worker and has counters for `index`.
  Worker(unsigned index, ServerState& server) : index_(index), server_(server) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Stops and joins.
  ~Worker();

  // Starts the thread, named kvd-worker-<index>. Once only.
  [[nodiscard]] std::optional<Failure> start();

  // Hands over a non-blocking socket that ServerState::clients already counts. From any thread.
  void adopt(UniqueFd client, std::uint64_t id);
  // Ends the loop, which closes all its connections. From any thread; does not wait.
  void stop();

 private:
  struct Adopted {
    UniqueFd fd;
    std::uint64_t id = 0;
  };
  struct Served {
    std::unique_ptr<Connection> connection;
    std::uint32_t watched_events = 0;
  };

  void run();
  void take_adopted();
  void handle(int fd, std::uint32_t events, std::span<char> scratch);
  void sweep_if_due();

  unsigned index_;
  ServerState& server_;
  UniqueFd epoll_;
  UniqueFd wake_;  // eventfd: a socket was adopted, or stop
  std::thread thread_;

  std::mutex adopted_mutex_;
  std::vector<Adopted> adopted_;  // guarded by adopted_mutex_
  bool stopping_ = false;         // guarded by adopted_mutex_

  // Used only by the worker's thread.
  std::unordered_map<int, Served> served_;  // by descriptor
  Clock::time_point last_sweep_;
};

}  // namespace kvd
