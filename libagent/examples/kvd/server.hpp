// The server: accepts on a loopback address, distributes the clients to its workers in turn, and
// ends on SIGTERM, SIGINT or a client's SHUTDOWN.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libagent/examples/kvd/failure.hpp"
#include "libagent/examples/kvd/server_state.hpp"
#include "libagent/examples/kvd/unique_fd.hpp"
#include "libagent/examples/kvd/worker.hpp"

namespace kvd {

struct ServerOptions {
  std::string bind = "127.0.0.1";  // numeric IPv4, of 127.0.0.0/8
  std::uint16_t port = 6379;       // 0: the system chooses one
  unsigned threads = 2;            // 1 to kMaxThreads
  bool verbose = false;            // report start and end on standard error
};

class Server {
 public:
  explicit Server(ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens, and starts the workers. Blocks SIGTERM and SIGINT in the calling thread first, so this
  // must be the only thread of the process that could receive them.
  [[nodiscard]] std::optional<Failure> start();
  // "127.0.0.1:6379", once started.
  [[nodiscard]] std::string address() const;
  // Serves until it is stopped.
  [[nodiscard]] std::optional<Failure> run();

 private:
  [[nodiscard]] std::optional<Failure> listen();
  [[nodiscard]] std::optional<Failure> watch(int fd);
  [[nodiscard]] std::optional<Failure> open_stop_channels();
  void accept_clients();
  void admit(UniqueFd client);
  // Without a free descriptor, a waiting client would keep the listener ready forever. The spare
  // descriptor is closed to accept this client and reject it.
  void shed_client(int error);

  ServerOptions options_;
  ServerState state_;
  UniqueFd listener_;
  UniqueFd signals_;
  UniqueFd stop_event_;
  UniqueFd epoll_;
  UniqueFd spare_;
  // last: they are destroyed before the members that they use
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t next_worker_ = 0;
};

}  // namespace kvd
