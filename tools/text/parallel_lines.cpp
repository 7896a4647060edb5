#include "tools/text/parallel_lines.hpp"

#include <system_error>
#include <utility>

#include "trace-format/lines/line_event.hpp"

namespace ringside::tool {

ParallelLines::ParallelLines(unsigned workers, bool utc, Write write)
    : utc_(utc),
      write_(std::move(write)),
      clocks_(utc),
      done_(kJobsPerWorker * std::size_t{workers} + 2) {
  for (std::size_t i = 0; i < done_.size(); ++i) {
    jobs_.push_back(std::make_unique<Job>());
    free_.push_back(jobs_.back().get());
  }
  // If the system provides fewer threads, fewer must do: the adding thread helps, alone if
  // necessary.
  try {
    for (unsigned i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
  }
  enough_waiting_ = workers_.size() * kJobsPerWorker / 2;
}

ParallelLines::~ParallelLines() {
  {
    const Lock lock(mutex_);
    ended_ = stopped_ = true;
  }
  work_came_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool ParallelLines::add(const trace::Event& event,
                        const std::shared_ptr<const trace::LineText>& text) {
  for (;;) {
    if (filling_ != nullptr) {
      if (!direct_) {
        if (filling_->batch.add(event, text)) return true;
      } else if (direct_lines_ < kDirectLines && filling_->text.size() < kDirectBytes) {
        ++direct_lines_;
        text->append(filling_->text, trace::LineEvent::of(event), clocks_);
        return true;
      }
      hand_over();
    }
    if (!take_job(!text->has_arguments())) return false;
  }
}

// Takes a free job to fill, beginning with a constant line or not. False if all work has ended.
bool ParallelLines::take_job(bool is_constant) {
  Lock lock(mutex_);
  while (free_.empty()) {
    if (!help(lock, clocks_)) job_freed_.wait(lock);
  }
  if (stopped_) return false;
  filling_ = free_.back();
  free_.pop_back();
  direct_ = is_constant || waiting_.size() >= enough_waiting_;
  direct_lines_ = 0;
  if (direct_) filling_->text.clear();
  return true;
}

bool ParallelLines::finish() {
  if (filling_ != nullptr) hand_over();
  Lock lock(mutex_);
  while (next_written_ != next_number_) {
    if (!help(lock, clocks_)) job_freed_.wait(lock);
  }
  if (failure_) std::rethrow_exception(failure_);
  return !stopped_;
}

void ParallelLines::hand_over() {
  Lock lock(mutex_);
  Job* const job = std::exchange(filling_, nullptr);
  job->number = next_number_++;
  if (direct_) {
    done_[job->number % done_.size()] = job;
    write_done(lock);
    return;
  }
  waiting_.push_back(job);
  if (waiting_.size() < kWakeAt || sleepers_ == 0) return;
  lock.unlock();
  work_came_.notify_one();
}

void ParallelLines::work() {
  trace::LineClocks clocks(utc_);
  Lock lock(mutex_);
  while (!ended_) {
    if (help(lock, clocks)) continue;
    ++sleepers_;
    work_came_.wait(lock);
    --sleepers_;
  }
}

// Does one of the waiting jobs; false if there is none.
bool ParallelLines::help(Lock& lock, trace::LineClocks& clocks) {
  if (waiting_.empty()) return false;
  Job* const job = waiting_.front();
  waiting_.pop_front();
  if (!stopped_) {
    lock.unlock();
    make_text(*job, clocks);
    lock.lock();
  }
  done_[job->number % done_.size()] = job;
  write_done(lock);
  return true;
}

void ParallelLines::make_text(Job& job, trace::LineClocks& clocks) {
  try {
    job.text.clear();
    job.batch.append(job.text, clocks);
    job.batch.clear();
  } catch (...) {
    const Lock lock(mutex_);
    failure_ = std::current_exception();
    stopped_ = true;
  }
}

// The thread that finds the next text ready writes it, and all texts that follow; the others leave
// theirs to that thread.
void ParallelLines::write_done(Lock& lock) {
  if (writing_) return;
  writing_ = true;
  while (Job* const job = std::exchange(done_[next_written_ % done_.size()], nullptr)) {
    if (!stopped_) {
      lock.unlock();
      const bool written = write_(job->text.text());
      lock.lock();
      stopped_ = stopped_ || !written;
    }
    job->batch.clear();
    free_.push_back(job);
    ++next_written_;
    job_freed_.notify_one();
  }
  writing_ = false;
}

}  // namespace ringside::tool
