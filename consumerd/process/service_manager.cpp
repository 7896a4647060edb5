#include "consumerd/process/service_manager.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>

#include "consumerd/log/log.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kStatusInterval = std::chrono::seconds(1);
// After the manager's queue was full.
constexpr std::chrono::microseconds kRetryInterval = std::chrono::milliseconds(250);
// A manager that reads nothing costs no memory.
constexpr std::size_t kMostUnsent = 8;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return {};
  return value;
}

// The time that the manager allows between two signs of life of this process; 0: any.
std::chrono::microseconds allowed_silence() {
  constexpr std::uint64_t kMost = 24ULL * 3600 * 1'000'000;
  const auto process = number(variable("WATCHDOG_PID"));
  if (process && *process != static_cast<std::uint64_t>(getpid())) return {};
  const auto time = number(variable("WATCHDOG_USEC"));
  return std::chrono::microseconds(time && *time <= kMost ? *time : 0);
}

// Of the connected socket, or -1 with errno. "@name" is an abstract socket.
int connect_to(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if ((name.front() != '/' && name.front() != '@') || name.size() < 2 ||
      name.size() >= sizeof address.sun_path) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    return -1;
  }
  return fd.release();
}

// For Type=notify-reload, which ignores a RELOADING=1 from before its request.
std::string monotonic_microseconds() {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(
                            std::chrono::steady_clock::now().time_since_epoch())
                            .count());
}

}  // namespace

std::string ServiceManager::open() {
  const std::string_view name = variable("NOTIFY_SOCKET");
  if (name.empty()) return {};
  socket_ = UniqueFd(connect_to(name));
  if (!socket_) {
    return "cannot report to the service manager at NOTIFY_SOCKET=" + std::string(name) + ": " +
           error_text(errno);
  }
  interval_ = allowed_silence() / 2;
  return {};
}

void ServiceManager::ready(std::string_view status) {
  status_ = status;
  put("READY=1\nSTATUS=" + status_);
}

void ServiceManager::reloading() {
  put("RELOADING=1\nMONOTONIC_USEC=" + monotonic_microseconds());
}

void ServiceManager::stopping(std::string_view status) {
  status_ = status;
  put("STOPPING=1\nSTATUS=" + status_);
}

void ServiceManager::beat(Clock::time_point now) {
  if (!socket_) return;
  send_unsent();
  if (interval_.count() == 0 || now < next_beat_) return;
  next_beat_ = now + (send("WATCHDOG=1") ? interval_ : std::min(interval_, kRetryInterval));
}

std::optional<ServiceManager::Clock::time_point> ServiceManager::next_beat() const {
  if (!socket_ || interval_.count() == 0) return {};
  return next_beat_;
}

bool ServiceManager::status_is_due(Clock::time_point now) const {
  return socket_ && unsent_.empty() && now - last_status_ >= kStatusInterval;
}

void ServiceManager::show_status(Clock::time_point now, std::string_view status) {
  last_status_ = now;
  if (status == status_) return;
  status_ = status;
  put("STATUS=" + status_);
}

void ServiceManager::put(std::string message) {
  if (!socket_) return;
  if (unsent_.size() == kMostUnsent) unsent_.erase(unsent_.begin());
  unsent_.push_back(std::move(message));
  send_unsent();
}

void ServiceManager::send_unsent() {
  while (!unsent_.empty() && send(unsent_.front())) unsent_.erase(unsent_.begin());
}

// False if the manager's queue is full. After any other error a repetition would be useless.
bool ServiceManager::send(std::string_view message) const {
  for (;;) {
    if (write(socket_.get(), message.data(), message.size()) >= 0) return true;
    if (errno != EINTR) return errno != EAGAIN;
  }
}

}  // namespace ringside::consumer
