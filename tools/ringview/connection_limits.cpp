#include "tools/ringview/connection_limits.hpp"

#include <algorithm>

#include <sys/socket.h>

namespace ringside::tool {

ConnectionLimits::ConnectionLimits() {
  thread_ = std::thread([this] { run(); });
}

ConnectionLimits::~ConnectionLimits() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// The thread of the connection finds its end, and calls ended().
void ConnectionLimits::shut_down(Connection& connection) {
  connection.is_shut_down_ = true;
  --open_;
  ::shutdown(connection.fd_, SHUT_RDWR);
}

bool ConnectionLimits::make_place() {
  const std::lock_guard lock(mutex_);
  if (open_ < kMostConnections) return true;
  const auto oldest =
      std::find_if(connections_.begin(), connections_.end(),
                   [](const Connection& one) { return !one.has_token_ && !one.is_shut_down_; });
  if (oldest == connections_.end()) return false;
  shut_down(*oldest);
  return true;
}

ConnectionLimits::Connection* ConnectionLimits::began(int fd) {
  Connection* connection = nullptr;
  {
    const std::lock_guard lock(mutex_);
    connection = &connections_.emplace_back();
    connection->fd_ = fd;
    connection->began_ = Clock::now();
    ++open_;
  }
  changed_.notify_all();
  return connection;
}

void ConnectionLimits::request_is_complete(Connection* connection, bool has_token) {
  const std::lock_guard lock(mutex_);
  connection->is_complete_ = true;
  connection->has_token_ = has_token;
}

void ConnectionLimits::ended(Connection* connection) {
  const std::lock_guard lock(mutex_);
  if (!connection->is_shut_down_) --open_;
  connections_.remove_if([&](const Connection& one) { return &one == connection; });
}

// When the next one is late.
ConnectionLimits::Clock::time_point ConnectionLimits::shut_down_late_ones() {
  for (Connection& one : connections_) {
    if (one.is_complete_ || one.is_shut_down_) continue;
    if (one.began_ + kRequestTime > Clock::now()) return one.began_ + kRequestTime;
    shut_down(one);
  }
  return Clock::time_point::max();
}

void ConnectionLimits::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const Clock::time_point next = shut_down_late_ones();
    if (next == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next);
    }
  }
}

}  // namespace ringside::tool
