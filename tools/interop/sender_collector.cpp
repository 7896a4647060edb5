#include "tools/interop/sender_collector.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <span>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "tools/interop/stop_signals.hpp"
#include "tools/interop/tcp_endpoint.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {
namespace {

// Further senders wait until one has ended.
constexpr std::size_t kMostSenders = 4096;
// Descriptors that are not used by senders: a file for each process, and files that are opened
// later.
constexpr std::size_t kOtherDescriptors = TraceBuilder::kMostProcesses + 100;
// How long no further sender is accepted when descriptors or memory run out.
constexpr int kPauseMs = 1000;

// As many at once as the descriptors allow, after raising the limit to its maximum.
std::size_t most_senders(std::size_t descriptors_of_each) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto descriptors = static_cast<std::size_t>(limit.rlim_cur);
  const std::size_t others = std::min(kOtherDescriptors, descriptors / 2);
  const std::size_t most = (descriptors - others) / descriptors_of_each;
  return std::clamp<std::size_t>(most, 1, kMostSenders);
}

class Collector {
 public:
  Collector(Socket listener, Receiver& receiver, const CollectorContext& context)
      : listener_(std::move(listener)),
        receiver_(receiver),
        live_(context.report_now),
        publisher_(context.publisher),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        room_(kCollectorRoomBytes),
        greeting_(receiver.greeting()),
        most_(most_senders(1 + receiver.descriptors_of_reception())) {}

  ReadOutcome run() {
    const StopSignals stop;
    if (!watch(stop.fd()) || !watch(listener_.fd())) {
      return ReadOutcome::refused(0, "cannot wait for senders: " + socket_reason(errno));
    }
    live_(note("listening at tcp://" + own_name(listener_) + "; stop with SIGINT or SIGTERM"));
    std::array<epoll_event, 64> events{};
    for (bool goes_on = true; goes_on;) {
      const int patience = publisher_.patience_ms();
      const bool publishes = patience >= 0 && (!paused_ || patience < kPauseMs);
      const int count = ::epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()),
                                     publishes ? patience
                                     : paused_ ? kPauseMs
                                               : -1);
      if (count == 0) {
        resume_accepting();
        goes_on = publisher_.paused();
      }
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == stop.fd()) {
          goes_on = false;
        } else if (fd == listener_.fd()) {
          accept_senders();
        } else {
          receive(*senders_.find(fd)->second);
        }
      }
      if (count > 0) goes_on = publisher_.arrived() && goes_on;
    }
    finish();
    return outcome();
  }

 private:
  struct Sender {
    Sender(Socket connection, std::string address, Receiver& receiver)
        : socket(std::move(connection)),
          name(std::move(address)),
          reception(receiver.begin(name)) {}

    Socket socket;
    std::string name;
    std::unique_ptr<Reception> reception;
    std::vector<std::byte> begun;  // what the reception has not taken yet
  };

  bool watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    return ::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) == 0;
  }

  void accept_senders() {
    while (senders_.size() < most_) {
      std::string address;
      Socket socket = accept_at(listener_, &address);
      const int fd = socket.fd();
      if (fd < 0) {
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno != EAGAIN) pause_accepting(socket_reason(errno));
        return;
      }
      // Ends a connection some hours after the sender's host has vanished.
      const int one = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
      if (!greeting_.empty()) ::send(fd, greeting_.data(), greeting_.size(), MSG_NOSIGNAL);
      auto sender = std::make_unique<Sender>(std::move(socket), std::move(address), receiver_);
      if (!watch(fd)) {
        live_(damage(sender->name + ": cannot wait for this sender: " + socket_reason(errno)));
        continue;
      }
      senders_.emplace(fd, std::move(sender));
    }
    pause_accepting(std::to_string(most_) + " are connected, which is the maximum");
  }

  void pause_accepting(const std::string& why) {
    if (std::exchange(paused_, true)) return;
    ::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, listener_.fd(), nullptr);
    if (!std::exchange(told_pause_, true)) live_(note("further senders wait: " + why));
  }

  void resume_accepting() {
    if (senders_.size() < most_ && std::exchange(paused_, false)) watch(listener_.fd());
  }

  // Receives at most one buffer of what is available, because other senders wait too. Returns the
  // number of bytes; 0 if nothing is available or the sender has ended.
  std::size_t receive(Sender& sender) {
    const std::size_t begun = sender.begun.size();
    std::copy(sender.begun.begin(), sender.begun.end(), room_.begin());
    const ssize_t result =
        ::recv(sender.socket.fd(), room_.data() + begun, kCollectorRoomBytes - begun, 0);
    if (result < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    if (result <= 0) {
      end(sender, result < 0 ? socket_reason(errno) : "");
      return 0;
    }
    const auto received = static_cast<std::size_t>(result);
    const std::span bytes(room_.data(), begun + received);
    const std::size_t taken = sender.reception->take(bytes);
    const std::string fault = sender.reception->fault();
    if (!fault.empty()) {
      ++refused_;
      sender.begun.clear();
      end(sender, fault);
      return 0;
    }
    sender.begun.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end());
    return received;
  }

  // Reports `why`, unless the sender ended the connection at a place where it may.
  void end(const Sender& sender, std::string why) {
    const std::string wrong = sender.reception->end(sender.begun.size());
    if (!wrong.empty()) why = wrong + (why.empty() ? "" : ": " + why);
    if (!why.empty()) live_(damage(sender.name + ": " + why));
    senders_.erase(sender.socket.fd());
    resume_accepting();
  }

  // Takes what has arrived by now, even if more is being sent.
  void finish() {
    accept_senders();
    std::vector<Sender*> left;
    for (const auto& [fd, sender] : senders_) left.push_back(sender.get());
    for (Sender* const sender : left) {
      int arrived = 0;
      ::ioctl(sender->socket.fd(), FIONREAD, &arrived);
      for (std::size_t bytes = static_cast<std::size_t>(std::max(arrived, 0));;) {
        const std::size_t received = receive(*sender);
        if (received == 0 || received >= bytes) break;
        bytes -= received;
      }
    }
    while (!senders_.empty()) end(*senders_.begin()->second, "");
  }

  ReadOutcome outcome() {
    ReadOutcome outcome;
    if (refused_ != 0) {
      outcome.warnings.push_back(
          fmt::format("{} senders were disconnected because of invalid data", refused_));
    }
    receiver_.finish(outcome);
    return outcome;
  }

  Socket listener_;
  Receiver& receiver_;
  const DiagnosticSink& live_;
  LivePublisher& publisher_;
  Socket epoll_;
  std::unordered_map<int, std::unique_ptr<Sender>> senders_;
  // One buffer for all senders; each sender keeps its own remainder.
  std::vector<std::byte> room_;
  const std::string greeting_;
  const std::size_t most_;
  bool paused_ = false;
  bool told_pause_ = false;
  std::uint64_t refused_ = 0;
};

}  // namespace

ReadOutcome collect_from_senders(const std::string& address, Receiver& receiver,
                                 const CollectorContext& context) {
  std::string error;
  auto listener = listen_at(address, &error);
  if (!listener) return ReadOutcome::refused(0, error);
  return Collector(std::move(*listener), receiver, context).run();
}

}  // namespace ringside::tool
