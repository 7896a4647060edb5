#include "tools/ringview/live_report.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/query/record_filter.hpp"
#include "tools/report/known_moments.hpp"
#include "tools/report/report_builder.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/wanted_records.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

using Clock = std::chrono::steady_clock;

// A large report is made less often: this many times the time that it took.
constexpr int kPauseFactor = 5;
// Without new records, a report since a relative time is made again when this part of the time has
// passed.
constexpr std::uint64_t kSlidePart = 20;

std::int64_t ms_of(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::unique_ptr<EventFilter> filter_now(const FilterOptions& options, std::string* why) {
  return EventFilter::make(options, unix_ns_now(), true, why);
}

std::vector<std::string> paths_of(const std::vector<LiveFile>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const LiveFile& file : files) paths.push_back(file.path);
  return paths;
}

// Moves the file that `error` names to those that cannot be read: the others are shown without it.
bool leave_out(const trace::ReadError& error, std::vector<LiveFile>& files,
               std::vector<UnreadableFile>& unreadable) {
  const auto named = std::find_if(files.begin(), files.end(),
                                  [&](const LiveFile& file) { return file.path == error.file; });
  if (named == files.end()) return false;
  unreadable.push_back(
      {named->path, error.what + (error.remedy.empty() ? "" : "; ") + error.remedy});
  files.erase(named);
  return true;
}

// Copies have the names of their segments here.
void name_segments(const std::vector<SegmentCopy>& copies, std::vector<UnreadableFile>& unreadable,
                   std::vector<LiveService>& services) {
  for (const SegmentCopy& copy : copies) {
    const auto fault =
        std::find_if(unreadable.begin(), unreadable.end(),
                     [&](const UnreadableFile& file) { return file.path == copy.path(); });
    if (fault != unreadable.end()) {
      fault->path = copy.segment();
    } else {
      services.push_back({service_of(copy.segment()), pid_of(copy.segment())});
    }
  }
}

std::vector<std::string> all_damage(const std::vector<SegmentCopy>& copies) {
  std::vector<std::string> damage;
  for (const SegmentCopy& copy : copies)
    damage.insert(damage.end(), copy.damage().begin(), copy.damage().end());
  return damage;
}

}  // namespace

std::unique_ptr<LiveReport> LiveReport::open(LiveBoard& board, Options options, std::string* why) {
  LiveFiles found;
  if (!look_at_files(options.paths, found, why)) return nullptr;
  if (options.paths.empty() && !find_segments(options.segments, true, found.in_memory, why))
    return nullptr;
  return std::unique_ptr<LiveReport>(new LiveReport(board, std::move(options)));
}

LiveReport::LiveReport(LiveBoard& board, Options options)
    : board_(board), options_(std::move(options)) {
  ReportBuilder empty;
  auto data = std::make_shared<const std::string>(report_as_json(
      empty.sections(trace::ReadReport(), {options_.title, given_filters(options_.filter), {}})));
  board_.change([&](LiveState& state) {
    state.data = std::move(data);
    state.data_number = 1;
    state.selection = options_.selection;
    // Until the first look at the paths.
    state.is_reading = true;
  });
  thread_ = std::thread([this] { run(); });
}

LiveReport::~LiveReport() {
  board_.end();
  thread_.join();
}

void LiveReport::run() {
  Clock::duration wait{};
  while (board_.pause(wait)) {
    wait = options_.interval;
    follow(wait);
  }
}

// A directory of segments that cannot be listed is an error only if no path is given.
bool LiveReport::look(LiveFiles& found, std::string* why) const {
  std::string fault;
  const bool is_all = options_.paths.empty();
  if (!find_segments(options_.segments, is_all, found.in_memory, &fault) && is_all) {
    *why = fault;
    return false;
  }
  // After the segments: what a consumer takes meanwhile is then in the files.
  return look_at_files(options_.paths, found, why);
}

void LiveReport::follow(Clock::duration& wait) {
  LiveFiles found;
  std::string why;
  if (!look(found, &why)) return fail(why);
  if (found == known_ && board_.newest()->read_unix_ms && !has_slid()) {
    if (!board_.newest()->error.empty()) fail({});
    return;
  }
  board_.change([](LiveState& state) { state.is_reading = true; });
  const auto begin = Clock::now();
  if (make(found)) known_ = std::move(found);
  const auto took = Clock::now() - begin;
  wait = std::max<Clock::duration>(wait, kPauseFactor * took);
  board_.change([&](LiveState& state) {
    state.took_ms = ms_of(took);
    state.update_ms = ms_of(wait);
  });
}

// A relative --since has passed records that are shown.
bool LiveReport::has_slid() const {
  if (!has_events_ || options_.filter.since.empty()) return false;
  std::string why;
  const std::uint64_t now_ns = unix_ns_now();
  const auto filter = EventFilter::make(options_.filter, now_ns, true, &why);
  if (filter == nullptr) return false;
  const std::uint64_t since_ns = filter->read_options().since_ns;
  return since_ns < now_ns && since_ns - since_ns_ > (now_ns - since_ns) / kSlidePart;
}

// What was read before stays, with this text; empty: nothing has failed.
void LiveReport::fail(const std::string& why) {
  if (board_.newest()->error == why && !board_.newest()->is_reading) return;
  board_.change([&](LiveState& state) {
    state.error = why;
    state.is_reading = false;
  });
}

// False if the data stays as it was.
bool LiveReport::make(const LiveFiles& found) {
  std::vector<LiveFile> files = found.files;
  std::vector<UnreadableFile> unreadable = found.unreadable;
  unreadable.insert(unreadable.end(), found.in_memory.unreadable.begin(),
                    found.in_memory.unreadable.end());
  const std::vector<SegmentCopy> copies = copies_of(found.in_memory.segments, unreadable);
  for (const SegmentCopy& copy : copies) files.push_back({copy.path(), copy.bytes(), 0});
  const auto read_at = std::chrono::system_clock::now().time_since_epoch();
  std::string text;
  if (!read(files, unreadable, all_damage(copies), &text)) return false;
  std::vector<LiveService> from_segments;
  name_segments(copies, unreadable, from_segments);
  auto data = std::make_shared<const std::string>(std::move(text));
  board_.change([&](LiveState& state) {
    state.data = std::move(data);
    ++state.data_number;
    state.read_unix_ms = std::chrono::duration_cast<std::chrono::milliseconds>(read_at).count();
    state.is_reading = false;
    state.error.clear();
    state.unreadable = std::move(unreadable);
    state.from_segments = std::move(from_segments);
  });
  return true;
}

// As `ringcat report` does, so that both show the same. False at the end, or if nothing can be
// read.
bool LiveReport::read(std::vector<LiveFile>& files, std::vector<UnreadableFile>& unreadable,
                      const std::vector<std::string>& damage, std::string* json) {
  std::string why;
  const auto filter = filter_now(options_.filter, &why);
  if (filter == nullptr) {
    fail(why);
    return false;
  }
  trace::ReadOptions reading = filter->read_options();
  reading.site_losses = reading.losses;
  since_ns_ = reading.since_ns;
  has_events_ = false;
  std::optional<trace::TraceSet> set;
  while (!files.empty() && !set) {
    trace::ReadError error;
    set = trace::TraceSet::open(paths_of(files), reading, &error);
    if (!set && !leave_out(error, files, unreadable)) {
      fail(error.text());
      return false;
    }
  }
  ReportBuilder report(files.empty()
                           ? KnownMoments{}
                           : KnownMoments::of(paths_of(files), reading, wanted_records(*filter)));
  if (set) {
    RecordFilter records(*filter);
    trace::Event event;
    while (set->next(event)) {
      if (board_.ends()) return false;
      if (!filter->wants_service(*event.segment) || !records.wanted(event)) continue;
      report.add(event);
      has_events_ = true;
    }
  }
  const ReportOrigin origin{options_.title, given_filters(options_.filter), damage};
  *json = report_as_json(report.sections(set ? set->report() : trace::ReadReport(), origin));
  return true;
}

}  // namespace ringside::tool
