#include "tests/fleet/nats_server.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace ringside::test {
namespace {

constexpr std::chrono::seconds kBound{120};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// nats-server can bind the port too, because both sockets have SO_REUSEADDR and this one does not
// listen.
int hold_free_port(int* port) {
  const int holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(holder, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(holder, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      getsockname(holder, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no free port on 127.0.0.1");
  }
  *port = ntohs(address.sin_port);
  return holder;
}

}  // namespace

NatsServer::NatsServer(std::string_view settings) {
  std::string name = (std::filesystem::temp_directory_path() / "ringside-nats-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
  directory_ = name;
  port_holder_ = hold_free_port(&port_);
  std::ofstream(directory_ / "server.conf")
      << "listen: \"127.0.0.1:" << port_ << "\"\n"
      << "jetstream { store_dir: \"" << (directory_ / "store").string() << "\" }\n"
      << "log_file: \"" << (directory_ / "log").string() << "\"\n"
      << settings << "\n";
  start();
}

NatsServer::~NatsServer() {
  if (process_ > 0) kill();
  close(port_holder_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string NatsServer::url() const {
  return "nats://127.0.0.1:" + std::to_string(port_);
}

void NatsServer::kill() {
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void NatsServer::stop() {
  ::kill(process_, SIGSTOP);
  waitpid(process_, nullptr, WUNTRACED);
}

void NatsServer::resume() {
  ::kill(process_, SIGCONT);
}

void NatsServer::start() {
  process_ = fork();
  if (process_ == 0) run_program();
  const auto deadline = std::chrono::steady_clock::now() + kBound;
  while (!is_accepting()) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;
      throw std::runtime_error("nats-server ended: " + log());
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("nats-server does not accept connections: " + log());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void NatsServer::run_program() const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char* const given = std::getenv("RINGSIDE_TEST_NATS_SERVER");
  const char* const program = given == nullptr ? "nats-server" : given;
  const std::string configuration = (directory_ / "server.conf").string();
  execlp(program, program, "-c", configuration.c_str(), nullptr);
  _exit(127);
}

// A server sends a line when it has accepted, which it does only after it has read its store.
bool NatsServer::is_accepting() const {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port_);
  bool is_greeted = false;
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    std::array<char, 4> greeting{};
    is_greeted = recv(connection, greeting.data(), greeting.size(), MSG_WAITALL) == 4 &&
                 std::string_view(greeting.data(), 4) == "INFO";
  }
  close(connection);
  return is_greeted;
}

std::string NatsServer::log() const {
  std::ifstream file(directory_ / "log");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ringside::test
