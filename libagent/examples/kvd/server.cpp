#include "libagent/examples/kvd/server.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <ringside/ringside.hpp>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "libagent/examples/kvd/limits.hpp"

namespace kvd {
namespace {

constexpr int kBacklog = 511;
constexpr int kAcceptsPerRound = 64;  // so that a flood of clients does not delay a signal
constexpr std::string_view kDescriptorRemedy = "raise the limit of open files (ulimit -n)";

UniqueFd open_spare() {
  return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

std::uint16_t bound_port(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)), state_(options_.threads) {}

std::string Server::address() const {
  return options_.bind + ":" + std::to_string(state_.port);
}

std::optional<Failure> Server::start() {
  epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid())
    return system_failure("cannot create an epoll set", errno, kDescriptorRemedy);
  spare_ = open_spare();
  if (auto failure = open_stop_channels()) return failure;
  if (auto failure = listen()) return failure;
  for (unsigned index = 0; index < options_.threads; ++index) {
    workers_.push_back(std::make_unique<Worker>(index, state_));
    if (auto failure = workers_.back()->start()) return failure;
  }
  RS_NOTICE("kvd listens on %s:%u with %u workers", options_.bind.c_str(),
            static_cast<unsigned>(state_.port), options_.threads);
  return std::nullopt;
}

std::optional<Failure> Server::open_stop_channels() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  // The workers inherit the mask, so that only this thread reads these signals.
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return system_failure("cannot block SIGTERM and SIGINT", error, "report this as a bug");
  }
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid())
    return system_failure("cannot create a signalfd", errno, kDescriptorRemedy);
  stop_event_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_event_.valid()) {
    return system_failure("cannot create an eventfd", errno, kDescriptorRemedy);
  }
  state_.stop_event = stop_event_.get();
  if (auto failure = watch(signals_.get())) return failure;
  return watch(stop_event_.get());
}

std::optional<Failure> Server::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return std::nullopt;
  return system_failure("cannot watch a descriptor", errno, kDescriptorRemedy);
}

std::optional<Failure> Server::listen() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  if (::inet_pton(AF_INET, options_.bind.c_str(), &address.sin_addr) != 1) {
    return Failure{"--bind " + options_.bind + " is not a numeric IPv4 address",
                   "use --bind 127.0.0.1"};
  }
  if (ntohl(address.sin_addr.s_addr) >> 24U != 127U) {
    return Failure{"--bind " + options_.bind + " is not a loopback address",
                   "kvd has no passwords, so it serves this machine only: use an "
                   "address of 127.0.0.0/8"};
  }
  listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_.valid()) return system_failure("cannot create a socket", errno, kDescriptorRemedy);
  const int yes = 1;
  // Otherwise a restart would have to wait for the last run's connections to leave TIME_WAIT.
  (void)::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const std::string where = options_.bind + ":" + std::to_string(options_.port);
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return system_failure("cannot bind " + where, errno,
                          "choose another port with --port, or --port 0 for any free one");
  }
  if (::listen(listener_.get(), kBacklog) != 0) {
    return system_failure("cannot listen on " + where, errno,
                          "choose another port with --port, or --port 0 for any free one");
  }
  state_.port = bound_port(listener_.get());
  return watch(listener_.get());
}

std::optional<Failure> Server::run() {
  for (bool stopping = false; !stopping;) {
    std::array<epoll_event, 3> events{};
    const int ready =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (ready < 0 && errno != EINTR) {
      return system_failure("cannot wait for clients", errno, "report this as a bug");
    }
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener_.get()) {
        accept_clients();
        continue;
      }
      stopping = true;
      signalfd_siginfo signal{};
      if (fd == signals_.get() &&
          ::read(signals_.get(), &signal, sizeof signal) == ssize_t{sizeof signal}) {
        RS_NOTICE("kvd ends: signal %" PRIu32 " from process %" PRIu32, signal.ssi_signo,
                  signal.ssi_pid);
      } else {
        RS_NOTICE("kvd ends: a client asked for it");
      }
    }
  }
  listener_.reset();
  // Signals all of them before waiting for the first.
  for (const auto& worker : workers_) worker->stop();
  workers_.clear();
  if (options_.verbose) {
    std::fprintf(stderr, "kvd: ended after %" PRIu64 " connections, %zu keys held\n",
                 state_.connections.load(std::memory_order_relaxed), state_.store.size());
  }
  return std::nullopt;
}

void Server::accept_clients() {
  for (int i = 0; i < kAcceptsPerRound; ++i) {
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.valid()) {
      admit(std::move(client));
      continue;
    }
    const int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK) return;
    if (error == EMFILE || error == ENFILE) {
      shed_client(error);
    } else {
      // An error of this one client (ECONNABORTED and network errors): the next may succeed.
      RS_WARNING("accept failed, errno %d", error);
    }
  }
}

void Server::admit(UniqueFd client) {
  const std::uint64_t id = state_.connections.fetch_add(1, std::memory_order_relaxed) + 1;
  if (state_.clients.load(std::memory_order_relaxed) >= kMaxClients) {
    RS_WARNING("conn %" PRIu64 ": rejected, there are %zu clients already", id, kMaxClients);
    static constexpr std::string_view kRefusal = "-ERR max number of clients reached\r\n";
    (void)::send(client.get(), kRefusal.data(), kRefusal.size(), MSG_NOSIGNAL);
    return;
  }
  const int yes = 1;
  // Replies are written complete; waiting for more data would only add latency.
  (void)::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  state_.clients.fetch_add(1, std::memory_order_relaxed);
  RS_INFO("conn %" PRIu64 ": accepted on descriptor %d, goes to worker %zu", id, client.get(),
          next_worker_);
  workers_[next_worker_]->adopt(std::move(client), id);
  next_worker_ = (next_worker_ + 1) % workers_.size();
}

void Server::shed_client(int error) {
  RS_ERROR("no descriptor for a new client, errno %d, with %zu clients", error,
           state_.clients.load(std::memory_order_relaxed));
  spare_.reset();
  UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)).reset();
  spare_ = open_spare();
}

}  // namespace kvd
