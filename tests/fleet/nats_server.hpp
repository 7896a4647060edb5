#pragma once
// A real nats-server with JetStream, for tests.

#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace ringside::test {

// Listens on a free port of 127.0.0.1 and stores in a temporary directory. The destructor kills it
// and removes the directory. The program is RINGSIDE_TEST_NATS_SERVER, or nats-server in PATH.
// Throws std::runtime_error if it does not start.
class NatsServer {
 public:
  // `settings`: further lines of its configuration file.
  explicit NatsServer(std::string_view settings = {});
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string url() const;
  const std::filesystem::path& directory() const { return directory_; }
  pid_t process() const { return process_; }

  void kill();  // SIGKILL; returns when it has ended
  void stop();  // SIGSTOP; returns when it has stopped
  void resume();
  // On the same port and store; returns when it accepts connections.
  void start();

 private:
  void run_program() const;
  bool is_accepting() const;
  std::string log() const;

  std::filesystem::path directory_;
  int port_ = 0;
  int port_holder_ = -1;  // bound, not listening: the system gives the port to no other process
  pid_t process_ = -1;
};

}  // namespace ringside::test
