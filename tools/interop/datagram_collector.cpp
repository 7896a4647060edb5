#include "tools/interop/datagram_collector.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <poll.h>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>

#include "tools/interop/socket.hpp"
#include "tools/interop/stop_signals.hpp"

namespace ringside::tool {
namespace {

// No datagram of UDP is larger.
constexpr std::size_t kMostDatagramBytes = 65536;
constexpr std::size_t kBatch = 32;
// Requested; the system may limit it (net.core.rmem_max).
constexpr int kReceiveBufferBytes = 16 << 20;
constexpr int kTimeMs = 250;

std::optional<Socket> bind_at(const std::string& address, std::string* error) {
  const AddressList resolved = resolve_endpoint(address, AI_PASSIVE, error);
  if (resolved == nullptr) return std::nullopt;
  int code = 0;
  auto socket = first_usable(resolved, SOCK_NONBLOCK, &code, [](int fd, const addrinfo& a) {
    return ::bind(fd, a.ai_addr, a.ai_addrlen) == 0 ? 0 : errno;
  });
  if (!socket) {
    *error =
        address + ": cannot listen: " + socket_reason(code) + "; choose another address or port";
    return socket;
  }
  const int bytes = kReceiveBufferBytes;
  if (::setsockopt(socket->fd(), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
    ::setsockopt(socket->fd(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  const int one = 1;
  ::setsockopt(socket->fd(), SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one);
  return socket;
}

class DatagramCollector {
 public:
  DatagramCollector(Socket socket, DatagramReceiver& receiver, const CollectorContext& context)
      : socket_(std::move(socket)),
        receiver_(receiver),
        context_(context),
        room_(kBatch * kMostDatagramBytes) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      pieces_[i] = {room_.data() + i * kMostDatagramBytes, kMostDatagramBytes};
    }
  }

  ReadOutcome run() {
    const StopSignals stop;
    context_.report_now(
        note("listening at udp://" + own_name(socket_) + "; stop with SIGINT or SIGTERM"));
    std::array<pollfd, 2> waited{{{stop.fd(), POLLIN, 0}, {socket_.fd(), POLLIN, 0}}};
    for (bool goes_on = true; goes_on && (waited[0].revents & POLLIN) == 0;) {
      const int patience = context_.publisher.patience_ms();
      const int ready = ::poll(waited.data(), waited.size(),
                               patience >= 0  ? patience
                               : time_passes_ ? kTimeMs
                                              : -1);
      if ((waited[1].revents & (POLLIN | POLLERR)) != 0) receive();
      pass_time();
      goes_on = ready > 0 ? context_.publisher.arrived() : context_.publisher.paused();
    }
    take_rest();
    while (!order_.empty()) forget_oldest();
    ReadOutcome outcome;
    if (dropped_ != 0) {
      outcome.warnings.push_back(fmt::format(
          "{} datagrams were dropped here: they came faster than they were taken; raise "
          "net.core.rmem_max, or send more slowly",
          dropped_));
    }
    receiver_.finish(outcome);
    return outcome;
  }

 private:
  struct Sender {
    std::string key;
    std::unique_ptr<DatagramSource> source;
  };
  using Place = std::list<Sender>::iterator;

  // Returns the number of bytes; 0 if nothing was available.
  std::size_t receive() {
    for (std::size_t i = 0; i < kBatch; ++i) {
      msghdr& header = headers_[i].msg_hdr;
      header = {};
      header.msg_name = &addresses_[i];
      header.msg_namelen = sizeof addresses_[i];
      header.msg_iov = &pieces_[i];
      header.msg_iovlen = 1;
      header.msg_control = controls_[i].data();
      header.msg_controllen = controls_[i].size();
    }
    // An error is that of an earlier datagram of another socket with the same address.
    const int count = ::recvmmsg(socket_.fd(), headers_.data(), kBatch, MSG_DONTWAIT, nullptr);
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const mmsghdr& got = headers_[at];
      bytes += std::max<std::size_t>(got.msg_len, 1);
      count_dropped(got.msg_hdr);
      const std::span whole(room_.data() + at * kMostDatagramBytes, got.msg_len);
      sender_of(addresses_[at], got.msg_hdr.msg_namelen).take(whole);
    }
    return bytes;
  }

  void count_dropped(const msghdr& header) {
    for (const cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr;
         c = CMSG_NXTHDR(const_cast<msghdr*>(&header), const_cast<cmsghdr*>(c))) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
      std::uint32_t all = 0;
      std::memcpy(&all, CMSG_DATA(c), sizeof all);
      dropped_ += all - std::exchange(dropped_seen_, all);  // wraps around
    }
  }

  DatagramSource& sender_of(const sockaddr_storage& address, socklen_t bytes) {
    const std::string_view key(reinterpret_cast<const char*>(&address), bytes);
    if (!order_.empty() && order_.front().key == key) return *order_.front().source;
    const auto known = senders_.find(key);
    if (known != senders_.end()) {
      order_.splice(order_.begin(), order_, known->second);
      return *order_.front().source;
    }
    if (order_.size() == kMostDatagramSenders) forget_oldest();
    order_.push_front({std::string(key), receiver_.begin(name_of_peer(address, bytes))});
    senders_.emplace(order_.front().key, order_.begin());
    time_passes_ = true;
    return *order_.front().source;
  }

  void forget_oldest() {
    order_.back().source->end();
    senders_.erase(order_.back().key);
    order_.pop_back();
  }

  void pass_time() {
    if (!time_passes_) return;
    time_passes_ = false;
    for (Sender& sender : order_) time_passes_ = sender.source->passes_time() || time_passes_;
  }

  // At most what the buffer held, because senders may go on.
  void take_rest() {
    int buffer = 0;
    socklen_t size = sizeof buffer;
    ::getsockopt(socket_.fd(), SOL_SOCKET, SO_RCVBUF, &buffer, &size);
    for (std::size_t left = static_cast<std::size_t>(std::max(buffer, 1)); left != 0;) {
      const std::size_t bytes = receive();
      if (bytes == 0) return;
      left -= std::min(left, bytes);
    }
  }

  Socket socket_;
  DatagramReceiver& receiver_;
  const CollectorContext& context_;
  std::list<Sender> order_;  // the last one that sent comes first
  std::unordered_map<std::string_view, Place> senders_;
  bool time_passes_ = false;  // for a sender
  std::uint64_t dropped_ = 0;
  std::uint32_t dropped_seen_ = 0;  // the kernel's count, which wraps around
  std::vector<std::byte> room_;
  std::array<mmsghdr, kBatch> headers_{};
  std::array<iovec, kBatch> pieces_{};
  std::array<sockaddr_storage, kBatch> addresses_{};
  alignas(cmsghdr) std::array<std::array<char, 64>, kBatch> controls_{};
};

}  // namespace

ReadOutcome collect_datagrams(const std::string& address, DatagramReceiver& receiver,
                              const CollectorContext& context) {
  std::string error;
  auto socket = bind_at(address, &error);
  if (!socket) return ReadOutcome::refused(0, error);
  return DatagramCollector(std::move(*socket), receiver, context).run();
}

}  // namespace ringside::tool
