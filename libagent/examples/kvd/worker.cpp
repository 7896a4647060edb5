#include "libagent/examples/kvd/worker.hpp"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <new>
#include <pthread.h>
#include <string>
#include <system_error>
#include <utility>

#include <ringside/ringside.hpp>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "libagent/examples/kvd/limits.hpp"

namespace kvd {
namespace {

constexpr int kEventsPerRound = 64;
constexpr int kSweepPeriodMs = 100;
constexpr std::string_view kConnectionRemedy =
    "raise the limit of open files (ulimit -n) or start with fewer --threads";

}  // namespace

Worker::~Worker() {
  if (!thread_.joinable()) return;
  stop();
  thread_.join();
}

std::optional<Failure> Worker::start() {
  epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid())
    return system_failure("cannot create an epoll set", errno, kConnectionRemedy);
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return system_failure("cannot create an eventfd", errno, kConnectionRemedy);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_.get();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    return system_failure("cannot watch an eventfd", errno, kConnectionRemedy);
  }
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return system_failure("cannot start a worker thread", error.code().value(),
                          "raise the limit of processes (ulimit -u) or start with fewer --threads");
  }
  return std::nullopt;
}

void Worker::adopt(UniqueFd client, std::uint64_t id) {
  {
    const std::lock_guard<std::mutex> lock(adopted_mutex_);
    adopted_.push_back({std::move(client), id});
  }
  (void)::eventfd_write(wake_.get(), 1);
}

void Worker::stop() {
  {
    const std::lock_guard<std::mutex> lock(adopted_mutex_);
    stopping_ = true;
  }
  (void)::eventfd_write(wake_.get(), 1);
}

void Worker::run() {
  // Before the first trace statement: a stream takes its thread's name when it begins.
  const std::string name = "kvd-worker-" + std::to_string(index_);
  ::pthread_setname_np(::pthread_self(), name.c_str());
  RS_NOTICE("worker %u: started", index_);

  std::vector<char> scratch(kReadBytes);
  std::array<epoll_event, kEventsPerRound> events{};
  last_sweep_ = Clock::now();
  for (;;) {
    const int ready = ::epoll_wait(epoll_.get(), events.data(), kEventsPerRound, kSweepPeriodMs);
    if (ready > 0)
      RS_TRACE("worker %u: %d of %zu descriptors ready", index_, ready, served_.size());
    bool woken = false;
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == wake_.get()) {
        woken = true;
      } else {
        handle(event.data.fd, event.events, scratch);
      }
    }
    if (woken) {
      // After the round: a descriptor closed in it may already be the number of an adopted one.
      eventfd_t ignored = 0;
      (void)::eventfd_read(wake_.get(), &ignored);
      const std::unique_lock<std::mutex> lock(adopted_mutex_);
      if (stopping_) break;
    }
    if (woken) take_adopted();
    sweep_if_due();
  }
  RS_NOTICE("worker %u: stops with %zu connections open", index_, served_.size());
  served_.clear();
}

void Worker::take_adopted() {
  std::vector<Adopted> adopted;
  {
    const std::lock_guard<std::mutex> lock(adopted_mutex_);
    adopted.swap(adopted_);
  }
  for (Adopted& client : adopted) {
    const int fd = client.fd.get();
    auto connection = std::make_unique<Connection>(std::move(client.fd), client.id, server_,
                                                   server_.counters[index_]);
    epoll_event event{};
    event.events = connection->wanted_events();
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      RS_ERROR("conn %" PRIu64 ": cannot be watched, errno %d", client.id, errno);
      continue;  // which closes it
    }
    const std::uint32_t watched_events = event.events;
    served_.insert_or_assign(fd, Served{std::move(connection), watched_events});
  }
}

void Worker::handle(int fd, std::uint32_t events, std::span<char> scratch) {
  const auto found = served_.find(fd);
  if (found == served_.end()) return;
  Connection& connection = *found->second.connection;
  try {
    connection.handle(events, scratch);
  } catch (const std::bad_alloc&) {
    // One client's request needed too much memory: close that client, keep the others.
    RS_CRITICAL("conn %" PRIu64 ": out of memory, closing the connection", connection.id());
    connection.abandon();
  }
  if (connection.closed()) {
    served_.erase(found);
    return;
  }
  epoll_event event{};
  event.events = connection.wanted_events();
  event.data.fd = fd;
  if (event.events == found->second.watched_events) return;
  found->second.watched_events = event.events;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) {
    RS_ERROR("conn %" PRIu64 ": cannot be watched any longer, errno %d", connection.id(), errno);
    served_.erase(found);
  }
}

void Worker::sweep_if_due() {
  const Clock::time_point now = Clock::now();
  if (now - last_sweep_ < std::chrono::milliseconds(kSweepPeriodMs)) return;
  last_sweep_ = now;
  const auto workers = static_cast<unsigned>(server_.counters.size());
  for (unsigned shard = index_; shard < Store::kShards; shard += workers) {
    server_.store.sweep(shard, to_time_ms(now));
  }
}

}  // namespace kvd
