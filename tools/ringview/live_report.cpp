#include "tools/ringview/live_report.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "tools/report/known_moments.hpp"
#include "tools/report/report_builder.hpp"
#include "tools/report/report_page.hpp"
#include "trace-format/reader/trace_paths.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

// A large report is made less often: this many times the time that it took.
constexpr int kPauseFactor = 5;

}  // namespace

std::unique_ptr<LiveReport> LiveReport::open(Options options, std::string* why) {
  FileSizes files;
  if (!look(options.paths, files, why)) return nullptr;
  return std::unique_ptr<LiveReport>(new LiveReport(std::move(options)));
}

LiveReport::LiveReport(Options options) : options_(std::move(options)) {
  make({});
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

bool LiveReport::look(const std::vector<std::string>& paths, FileSizes& files, std::string* why) {
  for (const std::string& path : paths) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
      *why = path + ": " + (code ? code.message() : "does not exist") + "; check the path";
      return false;
    }
    std::vector<std::string> names;
    trace::ReadError error;
    if (!trace::expand_trace_path(path, names, &error)) {
      *why = error.text();
      return false;
    }
    for (std::string& name : names) {
      // One that was removed meanwhile has none.
      const std::uintmax_t bytes = std::filesystem::file_size(name, code);
      if (!code && bytes != 0) files.emplace_back(std::move(name), bytes);
    }
  }
  return true;
}

// As `ringcat report` does, so that both show the same. What cannot be read now stays as it was.
void LiveReport::make(const FileSizes& files) {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : files) paths.push_back(path);
  trace::ReadOptions reading;
  reading.losses = true;
  reading.site_losses = true;
  ReportBuilder report(paths.empty()
                           ? KnownMoments{}
                           : KnownMoments::of(paths, reading, KnownMoments::Wanted::kAll));
  trace::ReadReport read;
  if (!paths.empty()) {
    trace::ReadError error;
    std::optional<trace::TraceSet> set = trace::TraceSet::open(paths, reading, &error);
    if (!set) return;
    trace::Event event;
    while (set->next(event)) {
      if (ends_.load(std::memory_order_relaxed)) return;
      report.add(event);
    }
    read = set->report();
  }
  auto made = std::make_shared<Published>();
  made->json = report_as_json(report.sections(read, {options_.title, {}, {}}));
  made->call_costs = paths.empty() ? "[]" : options_.call_costs();
  {
    const std::lock_guard lock(mutex_);
    made->number = newest_ == nullptr ? 1 : newest_->number + 1;
    newest_ = std::move(made);
  }
  news_.notify_all();
}

// False at the end.
bool LiveReport::pause(Clock::duration time) const {
  std::unique_lock lock(mutex_);
  return !news_.wait_for(lock, time, [this] { return ends_.load(); });
}

void LiveReport::run() {
  FileSizes known;
  Clock::duration wait{};
  while (pause(wait)) {
    wait = options_.interval;
    FileSizes files;
    std::string why;
    if (!look(options_.paths, files, &why) || files == known) continue;
    const auto begin = Clock::now();
    make(files);
    known = std::move(files);
    wait = std::max<Clock::duration>(wait, kPauseFactor * (Clock::now() - begin));
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
