#pragma once
// The connections to the metrics server, used by its thread only. Idle connections must not keep
// out those that send requests.

#include <cstddef>
#include <list>

namespace ringside::consumer {

class OpenConnections {
 public:
  static constexpr std::size_t kMost = 16;

  struct Connection {
    int fd = -1;
    bool asked = false;    // it has sent a complete request
    bool dropped = false;  // it is about to be closed
  };

  // If there are more than kMost, drops another one: the oldest that has sent no request, or else
  // the oldest.
  Connection* open(int fd);
  void close(const Connection* connection);

 private:
  void drop_one();

  std::list<Connection> connections_;  // in order of arrival
};

}  // namespace ringside::consumer
