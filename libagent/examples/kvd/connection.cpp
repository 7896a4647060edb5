#include "libagent/examples/kvd/connection.hpp"

#include <cerrno>
#include <cinttypes>
#include <string>
#include <string_view>
#include <utility>

#include <ringside/context.hpp>
#include <ringside/ringside.hpp>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "libagent/examples/kvd/commands.hpp"
#include "libagent/examples/kvd/trace_text.hpp"

namespace kvd {
namespace {

constexpr double kSlowRequestUs = 10000.0;

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

Connection::Connection(UniqueFd fd, std::uint64_t id, ServerState& server, WorkerCounters& counters)
    : fd_(std::move(fd)), id_(id), server_(server), counters_(counters) {
  const ringside::Context context{{"connection", id_}};
  RS_INFO("conn %" PRIu64 ": opened on descriptor %d, %zu clients", id_, fd_.get(),
          server_.clients.load(std::memory_order_relaxed));
}

Connection::~Connection() {
  const ringside::Context context{{"connection", id_}};
  const std::size_t clients = server_.clients.fetch_sub(1, std::memory_order_relaxed) - 1;
  RS_INFO("conn %" PRIu64 ": closed after %" PRIu64
          " requests, %zu bytes in and %zu out unhandled, "
          "%zu clients left",
          id_, requests_, parser_.buffered_bytes(), reply_.pending_bytes(), clients);
}

std::uint32_t Connection::wanted_events() const {
  std::uint32_t events = 0;
  const bool reads = state_ == State::kLingering || (state_ == State::kOpen && !paused_);
  if (reads && !peer_finished_) events |= EPOLLIN;
  if (reply_.pending_bytes() > 0 || paused_) events |= EPOLLOUT;
  return events;
}

void Connection::handle(std::uint32_t events, std::span<char> scratch) {
  const ringside::Context context{{"connection", id_}};
  if ((events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0) {
    RS_NOTICE("conn %" PRIu64 ": gone, %zu reply bytes unsent", id_, reply_.pending_bytes());
    state_ = State::kClosed;
    return;
  }
  if ((events & EPOLLOUT) != 0) flush();
  if ((events & EPOLLIN) != 0) read_some(scratch);
  if (state_ == State::kOpen) execute_requests();
  flush();
  advance();
}

void Connection::read_some(std::span<char> scratch) {
  const ssize_t received = ::recv(fd_.get(), scratch.data(), scratch.size(), 0);
  if (received < 0) {
    const int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR) return;
    RS_NOTICE("conn %" PRIu64 ": read failed, errno %d", id_, error);
    state_ = State::kClosed;
    return;
  }
  if (received == 0) {
    RS_DEBUG("conn %" PRIu64 ": end of input with %zu bytes of an incomplete request", id_,
             parser_.buffered_bytes());
    peer_finished_ = true;
    return;
  }
  arrived_ = Clock::now();
  const auto bytes = static_cast<std::size_t>(received);
  count(counters_.bytes_read, bytes);
  if (state_ != State::kOpen) {
    lingered_bytes_ += bytes;
    return;
  }
  parser_.append(std::string_view(scratch.data(), bytes));
  RS_DEBUG("conn %" PRIu64 ": read %zu bytes, %zu buffered", id_, bytes, parser_.buffered_bytes());
}

void Connection::execute_requests() {
  while (state_ == State::kOpen) {
    paused_ = reply_.pending_bytes() >= kOutputPauseBytes;
    if (paused_) {
      RS_NOTICE("conn %" PRIu64 ": paused, %zu reply bytes wait for the client to read", id_,
                reply_.pending_bytes());
      return;
    }
    switch (parser_.next()) {
      case ParseStatus::kNeedMore:
        return;
      case ParseStatus::kRequest:
        execute_one();
        break;
      case ParseStatus::kError: {
        const std::string_view reason = parser_.error();
        RS_WARNING("conn %" PRIu64 ": protocol error after %" PRIu64 " requests: %.*s", id_,
                   requests_, traced_length(reason), reason.data());
        count(counters_.protocol_errors);
        reply_.error("ERR Protocol error: " + std::string(reason));
        state_ = State::kFlushing;
        break;
      }
    }
  }
}

void Connection::execute_one() {
  const Clock::time_point start = Clock::now();
  const auto arguments = parser_.arguments();
  ++requests_;
  count(counters_.requests);
  RS_DEBUG("conn %" PRIu64 " request %" PRIu64 ": parsed %zu arguments from %zu bytes (%s)", id_,
           requests_, arguments.size(), parser_.request_bytes(),
           parser_.is_inline() ? "inline" : "array");
  const std::size_t pending_before = reply_.pending_bytes();
  RequestContext context{server_, reply_, to_time_ms(start), id_, requests_};
  const AfterReply after = execute(context, arguments);
  RS_DEBUG("conn %" PRIu64 " request %" PRIu64 ": reply of %zu bytes, %zu pending", id_, requests_,
           reply_.pending_bytes() - pending_before, reply_.pending_bytes());
  const double service_us = microseconds(Clock::now() - start);
  const double queued_us = microseconds(start - arrived_);
  RS_INFO("conn %" PRIu64 " request %" PRIu64 ": served in %.3f us after %.3f us in the queue", id_,
          requests_, service_us, queued_us);
  if (service_us > kSlowRequestUs) {
    RS_WARNING("conn %" PRIu64 " request %" PRIu64 ": slow, %.*s took %.3f us", id_, requests_,
               traced_length(arguments[0]), arguments[0].data(), service_us);
  }
  if (reply_.overflowed()) {
    RS_ERROR("conn %" PRIu64 " request %" PRIu64 ": reply exceeds the output limit of %zu bytes",
             id_, requests_, kOutputLimitBytes);
    state_ = State::kClosed;
  } else if (after == AfterReply::kClose) {
    state_ = State::kFlushing;
  } else if (after == AfterReply::kShutDown) {
    RS_NOTICE("conn %" PRIu64 " request %" PRIu64 ": shutdown asked for", id_, requests_);
    // Cannot fail: the counter is far from its maximum of 2^64 - 2.
    (void)::eventfd_write(server_.stop_event, 1);
    state_ = State::kFlushing;
  }
}

void Connection::flush() {
  if (state_ == State::kClosed || reply_.pending_bytes() == 0) return;
  const std::string_view pending = reply_.pending();
  const ssize_t sent = ::send(fd_.get(), pending.data(), pending.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    const int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR) return;
    RS_NOTICE("conn %" PRIu64 ": write failed, errno %d, %zu reply bytes unsent", id_, error,
              pending.size());
    state_ = State::kClosed;
    return;
  }
  const auto bytes = static_cast<std::size_t>(sent);
  count(counters_.bytes_written, bytes);
  RS_DEBUG("conn %" PRIu64 ": wrote %zu of %zu bytes, %.3f us after the read", id_, bytes,
           pending.size(), microseconds(Clock::now() - arrived_));
  reply_.consume(bytes);
}

void Connection::advance() {
  if (state_ == State::kOpen && peer_finished_ && !paused_) state_ = State::kFlushing;
  if (state_ == State::kFlushing) {
    paused_ = false;
    if (reply_.pending_bytes() == 0) {
      // Closing with unread input would reset the connection, and the client could lose the last
      // reply; so wait for the client's end.
      ::shutdown(fd_.get(), SHUT_WR);
      state_ = State::kLingering;
    }
  }
  if (state_ == State::kLingering && (peer_finished_ || lingered_bytes_ > kLingerBytes)) {
    state_ = State::kClosed;
  }
}

}  // namespace kvd
