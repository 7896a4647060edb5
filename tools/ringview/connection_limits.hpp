#pragma once
// Bounds what connections can hold: a client without the token cannot keep others out.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

namespace ringside::tool {

// A connection has one request. Used by any number of threads.
class ConnectionLimits {
 public:
  static constexpr std::size_t kMostConnections = 32;
  // From its beginning until its request is complete.
  static constexpr std::chrono::seconds kRequestTime{5};

  class Connection;

  ConnectionLimits();
  ~ConnectionLimits();
  ConnectionLimits(const ConnectionLimits&) = delete;
  ConnectionLimits& operator=(const ConnectionLimits&) = delete;

  // Before a connection is made. If all places are taken, the oldest connection that has not sent
  // the token is ended. False if all have sent it.
  bool make_place();
  // `fd` stays open until ended().
  Connection* began(int fd);
  void request_is_complete(Connection* connection, bool has_token);
  void ended(Connection* connection);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void shut_down(Connection& connection);
  Clock::time_point shut_down_late_ones();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::list<Connection> connections_;  // by their beginnings
  std::size_t open_ = 0;               // of these, not shut down
  std::thread thread_;
};

class ConnectionLimits::Connection {
 private:
  friend class ConnectionLimits;
  int fd_ = -1;
  Clock::time_point began_;
  bool is_complete_ = false;
  bool has_token_ = false;
  bool is_shut_down_ = false;
};

}  // namespace ringside::tool
