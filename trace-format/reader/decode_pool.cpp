#include "trace-format/reader/decode_pool.hpp"

#include <system_error>
#include <utility>

namespace ringside::trace {

DecodePool::DecodePool(unsigned threads) {
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {
    // The existing threads do the work; without any, the reader decodes.
  }
}

DecodePool::~DecodePool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DecodePool::submit(std::shared_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  work_.notify_one();
}

bool DecodePool::cancel_or_wait(Job& job) {
  std::unique_lock lock(mutex_);
  if (job.state_ == Job::State::kWaits) job.state_ = Job::State::kCancelled;
  done_.wait(lock, [&] { return job.state_ != Job::State::kRuns; });
  return job.state_ == Job::State::kDone;
}

void DecodePool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    const std::shared_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job->state_ == Job::State::kCancelled) continue;
    job->state_ = Job::State::kRuns;
    lock.unlock();
    job->extent_->decode();
    lock.lock();
    job->state_ = Job::State::kDone;
    done_.notify_all();
  }
}

}  // namespace ringside::trace
