// One client: bytes in, requests executed in order, bytes out; never blocks.
//
// Life: kOpen -> kFlushing (no more requests, the last replies go out) -> kLingering (our side is
// shut, later input is discarded) -> kClosed. Belongs to one worker thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libagent/examples/kvd/resp_parser.hpp"
#include "libagent/examples/kvd/resp_reply.hpp"
#include "libagent/examples/kvd/server_state.hpp"
#include "libagent/examples/kvd/unique_fd.hpp"

namespace kvd {

class Connection {
 public:
  // `fd` is a non-blocking stream socket; the references outlive the connection.
  Connection(UniqueFd fd, std::uint64_t id, ServerState& server, WorkerCounters& counters);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Handles epoll's events of one round: at most one read and the requests it completes, so that
  // one client's pipeline cannot block the worker's other clients. `scratch` is the read buffer.
  void handle(std::uint32_t events, std::span<char> scratch);
  // Drops the connection without a reply, if there is no memory for one.
  void abandon() { state_ = State::kClosed; }

  [[nodiscard]] bool closed() const { return state_ == State::kClosed; }
  // The epoll events to wait for.
  [[nodiscard]] std::uint32_t wanted_events() const;
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  enum class State { kOpen, kFlushing, kLingering, kClosed };

  void read_some(std::span<char> scratch);
  void execute_requests();
  void execute_one();
  void flush();
  void advance();

  UniqueFd fd_;
  std::uint64_t id_;
  ServerState& server_;
  WorkerCounters& counters_;
  State state_ = State::kOpen;
  bool peer_finished_ = false;  // it sends nothing more, but may still read
  bool paused_ = false;         // requests may be buffered, output is waiting
  RespParser parser_;
  ReplyBuffer reply_;
  std::uint64_t requests_ = 0;
  std::size_t lingered_bytes_ = 0;
  Clock::time_point arrived_;  // of the bytes last read
};

}  // namespace kvd
