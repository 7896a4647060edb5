#include "tools/interop/forward_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <utility>

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace ringside::tool {
namespace {

void watch_for_silence(int fd) {
  const int one = 1;
  const int seconds = ForwardConnection::kSilenceMs / 3000;
  const int silence = ForwardConnection::kSilenceMs;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
}

}  // namespace

bool ForwardConnection::connect() {
  if (is_connected() || Clock::now() < next_attempt_) return false;
  std::string why;
  const AddressList resolved = resolve_endpoint(address_, 0, &why);
  int code = 0;
  if (resolved != nullptr) {
    socket_ = first_usable(resolved, 0, &code, [](int fd, const addrinfo& a) {
      return ::connect(fd, a.ai_addr, a.ai_addrlen) == 0 ? 0 : errno;
    });
    why = address_ + ": cannot connect: " + socket_reason(code);
  }
  if (!socket_) {
    next_attempt_ = Clock::now() + back_off_;
    back_off_ = std::min(2 * back_off_, kMostBackOff);
    last_fault_ = why;
    if (code != EINTR && !std::exchange(told_, true)) {
      report_now_(note(why + "; trying again until it succeeds. The trace waits in its files"));
    }
    return false;
  }
  watch_for_silence(socket_->fd());
  ++connections_;
  queue_.clear();
  sent_of_queue_ = 0;
  queued_ = 0;
  back_off_ = kFirstBackOff;
  if (std::exchange(told_, false)) {
    const auto gap = std::chrono::duration<double>(Clock::now() - lost_at_).count();
    report_now_(note(fmt::format("{}: connected{} after {:.1f} s", address_,
                                 connections_ > 1 ? " again" : "", gap)));
  }
  return true;
}

int ForwardConnection::back_off_ms() const {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(next_attempt_ - Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 1, 10'000));
}

void ForwardConnection::add(std::span<const std::byte> bytes, std::uint64_t records) {
  queue_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  queued_ += bytes.size();
  if (records != 0) batches_.push_back({queued_, records});
}

bool ForwardConnection::pump() {
  if (!is_connected()) return false;
  // What the receiver sends has no meaning; its end is the end of the connection, found before more
  // is lost to it.
  std::array<char, 4096> ignored;
  ssize_t got = 0;
  do {
    got = ::recv(socket_->fd(), ignored.data(), ignored.size(), MSG_DONTWAIT);
  } while (got > 0);
  if (got == 0) {
    lose("the receiver ended the connection");
    return false;
  }
  if (errno != EAGAIN && errno != EINTR) {
    lose(socket_reason(errno));
    return false;
  }
  while (queued_bytes() != 0) {
    const ssize_t sent = ::send(socket_->fd(), queue_.data() + sent_of_queue_, queued_bytes(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) break;
    if (sent < 0) {
      lose(socket_reason(errno));
      return false;
    }
    sent_of_queue_ += static_cast<std::size_t>(sent);
  }
  if (queued_bytes() == 0) {
    queue_.clear();
    sent_of_queue_ = 0;
  }
  take_acknowledged();
  return true;
}

void ForwardConnection::wait(int timeout_ms) const {
  pollfd waited{is_connected() ? socket_->fd() : -1, POLLIN, 0};
  if (queued_bytes() != 0) waited.events |= POLLOUT;
  ::poll(&waited, 1, timeout_ms);
}

void ForwardConnection::take_acknowledged() {
  int unacknowledged = 0;
  if (::ioctl(socket_->fd(), SIOCOUTQ, &unacknowledged) != 0) return;
  const std::uint64_t arrived =
      queued_ - queued_bytes() - static_cast<std::uint64_t>(std::max(unacknowledged, 0));
  while (!batches_.empty() && batches_.front().end <= arrived) {
    acknowledged_ += batches_.front().records;
    batches_.pop_front();
  }
}

bool ForwardConnection::is_acknowledged() {
  return is_connected() && queued_bytes() == 0 && (take_acknowledged(), batches_.empty());
}

std::uint64_t ForwardConnection::acknowledged_records() {
  if (is_connected()) take_acknowledged();
  return acknowledged_;
}

void ForwardConnection::shut_down() {
  if (is_connected()) ::shutdown(socket_->fd(), SHUT_WR);
  shut_down_ = true;
}

void ForwardConnection::lose(const std::string& why) {
  take_acknowledged();
  std::uint64_t lost = 0;
  for (const Batch& batch : batches_) lost += batch.records;
  batches_.clear();
  unconfirmed_ += lost;
  socket_.reset();
  queue_.clear();
  sent_of_queue_ = 0;
  if (shut_down_) return;
  last_fault_ = address_ + ": the connection ended: " + why;
  lost_at_ = Clock::now();
  next_attempt_ = lost_at_ + back_off_;
  told_ = true;
  report_now_(
      note(fmt::format("{}; {}connecting again", last_fault_,
                       lost == 0 ? std::string() : fmt::format("{} records may be lost; ", lost))));
}

}  // namespace ringside::tool
