// Threads that decode extents ahead of their turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "trace-format/reader/decoded_extent.hpp"

namespace ringside::trace {

class DecodePool {
 public:
  class Job {
   public:
    explicit Job(std::unique_ptr<DecodedExtent> extent) : extent_(std::move(extent)) {}
    // Only after cancel_or_wait().
    DecodedExtent& extent() { return *extent_; }
    std::unique_ptr<DecodedExtent> take() { return std::move(extent_); }

   private:
    friend class DecodePool;
    enum class State : std::uint8_t { kWaits, kRuns, kDone, kCancelled };
    std::unique_ptr<DecodedExtent> extent_;
    State state_ = State::kWaits;  // guarded by the pool's mutex
  };

  // Starts fewer threads, or none, if the system refuses more.
  explicit DecodePool(unsigned threads);
  ~DecodePool();  // only when no job is waited for any more
  DecodePool(const DecodePool&) = delete;
  DecodePool& operator=(const DecodePool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  void submit(std::shared_ptr<Job> job);

  // True once the job is decoded; false if it was cancelled before any thread began it.
  bool cancel_or_wait(Job& job);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ringside::trace
