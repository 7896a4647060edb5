#include "consumerd/metrics/open_connections.hpp"

#include <algorithm>

#include <sys/socket.h>

namespace ringside::consumer {

OpenConnections::Connection* OpenConnections::open(int fd) {
  if (connections_.size() >= kMost) drop_one();
  connections_.push_back({fd});
  return &connections_.back();
}

void OpenConnections::close(const Connection* connection) {
  connections_.remove_if([connection](const Connection& one) { return &one == connection; });
}

// The server notices the end of the stream and closes the descriptor.
void OpenConnections::drop_one() {
  const auto is_idle = [](const Connection& one) { return !one.asked && !one.dropped; };
  auto one = std::find_if(connections_.begin(), connections_.end(), is_idle);
  if (one == connections_.end()) {
    one = std::find_if(connections_.begin(), connections_.end(),
                       [](const Connection& other) { return !other.dropped; });
  }
  if (one == connections_.end()) return;
  one->dropped = true;
  shutdown(one->fd, SHUT_RDWR);
}

}  // namespace ringside::consumer
