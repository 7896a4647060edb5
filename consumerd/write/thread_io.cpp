#include "consumerd/write/thread_io.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ringside::consumer {
namespace {

constexpr auto kBriefly = std::chrono::milliseconds(5);
constexpr auto kEndPatience = std::chrono::seconds(1);

// Shared with the thread, which may outlive the backend.
struct Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<WriteRequest> requests;
  std::vector<WriteCompletion> completions;
  std::uint32_t under_way = 0;
  bool over = false;   // the backend is being destroyed
  bool ended = false;  // the thread is done
};

void serve(Exchange& exchange) {
  std::unique_lock lock(exchange.mutex);
  for (;;) {
    exchange.changed.wait(lock, [&] { return exchange.over || !exchange.requests.empty(); });
    if (exchange.over) break;
    const WriteRequest request = exchange.requests.front();
    exchange.requests.pop_front();
    lock.unlock();
    const WriteCompletion completion = carry_out(request);
    lock.lock();
    exchange.completions.push_back(completion);
    exchange.changed.notify_all();
  }
  exchange.ended = true;
  exchange.changed.notify_all();
}

class ThreadIo final : public BlockIo {
 public:
  // Throws std::system_error if there is no thread.
  ThreadIo() : thread_([exchange = exchange_] { serve(*exchange); }) {}

  ~ThreadIo() override {
    bool ended = false;
    {
      std::unique_lock lock(exchange_->mutex);
      exchange_->over = true;
      exchange_->changed.notify_all();
      ended = exchange_->changed.wait_for(lock, kEndPatience, [this] { return exchange_->ended; });
    }
    if (ended) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

  void prepare_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {}

  bool submit(const WriteRequest& request) override {
    const std::lock_guard lock(exchange_->mutex);
    exchange_->requests.push_back(request);
    ++exchange_->under_way;
    exchange_->changed.notify_all();
    return true;
  }

  std::size_t reap(std::span<WriteCompletion> out, bool wait) override {
    std::unique_lock lock(exchange_->mutex);
    std::vector<WriteCompletion>& done = exchange_->completions;
    if (wait && done.empty() && exchange_->under_way > 0) {
      exchange_->changed.wait_for(lock, kBriefly, [&done] { return !done.empty(); });
    }
    const std::size_t count = std::min(out.size(), done.size());
    std::copy_n(done.begin(), count, out.begin());
    done.erase(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(count));
    exchange_->under_way -= static_cast<std::uint32_t>(count);
    return count;
  }

  const char* name() const override { return "a thread"; }

 private:
  const std::shared_ptr<Exchange> exchange_ = std::make_shared<Exchange>();
  std::thread thread_;
};

}  // namespace

std::unique_ptr<BlockIo> make_thread_io() {
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::unique_ptr<BlockIo> io;
  try {
    io = std::make_unique<ThreadIo>();
  } catch (const std::system_error&) {
    io = nullptr;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return io;
}

}  // namespace ringside::consumer
