#include "tools/ringview/live_report.hpp"

#include <optional>
#include <utility>

#include "tools/report/report_page.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWaitMs = 200;
// A large report is made less often: this many times the time that it took.
constexpr int kPauseFactor = 5;

}  // namespace

std::unique_ptr<LiveReport> LiveReport::open(Options options, std::string* why) {
  trace::ReadError error;
  trace::ReadOptions reading;
  reading.losses = true;
  reading.site_losses = true;
  std::optional<trace::TraceFollower> follower =
      trace::TraceFollower::open(options.paths, reading, &error);
  if (!follower) {
    *why = error.text();
    return nullptr;
  }
  return std::unique_ptr<LiveReport>(new LiveReport(std::move(options), std::move(*follower)));
}

LiveReport::LiveReport(Options options, trace::TraceFollower follower)
    : options_(std::move(options)), follower_(std::move(follower)) {
  read();
  publish();
  thread_ = std::thread([this] { run(); });
}

LiveReport::~LiveReport() {
  end();
  thread_.join();
}

void LiveReport::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_all();
}

// Whether there were events.
bool LiveReport::read() {
  trace::Event event;
  bool has_read = false;
  while (!ends_.load(std::memory_order_relaxed) && follower_.next(event)) {
    builder_.add(event);
    has_read = true;
  }
  return has_read;
}

void LiveReport::publish() {
  auto made = std::make_shared<Published>();
  made->json = report_as_json(builder_.sections(follower_.report(), options_.title));
  {
    const std::lock_guard lock(mutex_);
    made->number = newest_ == nullptr ? 1 : newest_->number + 1;
    newest_ = std::move(made);
  }
  news_.notify_all();
}

void LiveReport::run() {
  auto next = Clock::now() + options_.interval;
  bool has_news = false;
  while (!ends_.load(std::memory_order_relaxed)) {
    follower_.wait(kWaitMs);
    has_news = read() || has_news;
    const auto begin = Clock::now();
    if (!has_news || begin < next) continue;
    publish();
    has_news = false;
    const auto cost = Clock::now() - begin;
    next = Clock::now() + std::max<Clock::duration>(options_.interval, kPauseFactor * cost);
  }
}

std::shared_ptr<const LiveReport::Published> LiveReport::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::shared_ptr<const LiveReport::Published> LiveReport::after(
    std::uint64_t number, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  const bool has_news =
      news_.wait_for(lock, timeout, [&] { return ends_ || newest_->number > number; });
  return has_news && !ends_ ? newest_ : nullptr;
}

}  // namespace ringside::tool
