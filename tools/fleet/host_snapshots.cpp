#include "tools/fleet/host_snapshots.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/flight_recorders.hpp"
#include "tools/text/time_argument.hpp"

namespace ringside::fleet {
namespace {

constexpr std::size_t kMostRunning = 8;
constexpr std::size_t kMostKnown = 256;
// consumerd keeps what it has drained up to 100 ms before it writes it.
constexpr std::uint64_t kSettleMs = 150;
constexpr std::int64_t kClockMarginS = 60;
constexpr std::size_t kMostBytesOnTheWay = std::size_t{4} << 20;  // of each
constexpr const char* kRequestFile = "/request.json";
constexpr const char* kRecorders = "/recorders";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

struct HostSnapshots::Running {
  FleetSnapshotRequest request;
  std::string answer_to;  // empty: no caller waits
  std::string directory;
  std::string uncopied;  // why a flight recorder is missing; empty: none is
  std::uint64_t begin_ms = 0;
  std::unique_ptr<RecordSelection> selection;
  std::unique_ptr<PublishQueue> queue;
  std::optional<TraceSegments> segments;
  std::optional<CursorStore> cursors;
  std::optional<Shipper> shipper;  // after begin_ms
  bool has_ended = false;
};

HostSnapshots::HostSnapshots(HostSnapshotOptions options, OpenQueue open_queue, Answer answer,
                             NowMs now_ms, Complain complain)
    : options_(std::move(options)),
      open_queue_(std::move(open_queue)),
      answer_(std::move(answer)),
      now_ms_(std::move(now_ms)),
      complain_(std::move(complain)) {
  continue_left();
}

HostSnapshots::~HostSnapshots() = default;

void HostSnapshots::continue_left() {
  std::error_code code;
  std::vector<std::string> left;
  for (std::filesystem::directory_iterator at(options_.directory, code), end; !code && at != end;
       at.increment(code))
    left.push_back(at->path());
  for (const std::string& directory : left) {
    FleetSnapshotRequest request;
    std::string why;
    if (read_snapshot_request(text_of(directory + kRequestFile), request, &why)) {
      begin(request, {});
    } else {
      // It was not complete: the caller has no answer, and asks again.
      std::filesystem::remove_all(directory, code);
    }
  }
}

void HostSnapshots::take(const FleetSnapshotRequest& request, const std::string& answer_to) {
  const auto known = known_.find(request.id);
  if (known == known_.end()) return begin(request, answer_to);
  for (Running& running : running_) {
    if (running.request.id == request.id) running.answer_to = answer_to;
  }
  answer_(answer_to, known->second);
}

void HostSnapshots::begin(const FleetSnapshotRequest& request, const std::string& answer_to) {
  // The caller repeats the request until there is an answer.
  if (running_.size() >= kMostRunning) return;
  if (known_.size() >= kMostKnown) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.is_done; });
  }
  Running& running = running_.emplace_back();
  running.request = request;
  running.answer_to = answer_to;
  running.directory = options_.directory + "/" + subject_part(request.id);
  FleetSnapshotAnswer& answer = known_[request.id];
  answer.id = request.id;
  answer.host = options_.host;
  std::string why;
  if (!prepare(running, &why)) end(running, why);
  if (!answer_to.empty()) answer_(answer_to, answer);
}

// Copies the flight recorders at once: what they hold is overwritten. An earlier process may have
// done it.
bool HostSnapshots::prepare(Running& running, std::string* why) {
  const FleetSnapshotRequest& request = running.request;
  tool::FilterOptions filter;
  filter.services = request.services;
  filter.where = request.where;
  filter.level = request.level;
  filter.since = request.since;
  filter.until = request.until;
  running.selection = RecordSelection::make(filter, request.activity, why);
  if (running.selection == nullptr) return false;
  running.selection->only_sections_with_records = true;
  const std::string recorders = running.directory + kRecorders;
  std::error_code code;
  if (!std::filesystem::exists(running.directory + kRequestFile, code)) {
    std::filesystem::create_directories(recorders, code);
    if (code) {
      *why = running.directory + ": cannot be created: " + code.message() +
             "; free space, and let the user of ringship write there (--state)";
      return false;
    }
    // Records of services that others may not trace.
    std::filesystem::permissions(options_.directory, std::filesystem::perms::owner_all, code);
    if (!copy_flight_recorders(options_.shm_dir, request.services, recorders, &running.uncopied))
      complain_(running.uncopied);
    std::ofstream(running.directory + kRequestFile) << write_snapshot_request(request) << "\n";
  }
  running.cursors = CursorStore::open(running.directory + "/cursors", why);
  if (!running.cursors) return false;
  std::vector<std::string> paths = options_.paths;
  paths.push_back(recorders);
  const std::uint64_t since_ns = running.selection->filter->read_options().since_ns;
  running.segments.emplace(std::move(paths),
                           static_cast<std::int64_t>(since_ns / 1'000'000'000) - kClockMarginS);
  running.begin_ms = now_ms_() + kSettleMs;
  return true;
}

void HostSnapshots::step() {
  for (Running& running : running_) {
    if (running.has_ended || now_ms_() < running.begin_ms) continue;
    if (!running.shipper) {
      std::string why;
      if (running.queue == nullptr) running.queue = open_queue_(&why);
      if (running.queue == nullptr) continue;
      ShipperOptions shipper = options_.shipper;
      shipper.selection = running.selection.get();
      shipper.snapshot = running.request.id;
      shipper.most_bytes_on_the_way = kMostBytesOnTheWay;
      running.shipper.emplace(std::move(shipper), *running.segments, *running.queue,
                              *running.cursors, now_ms_, complain_);
    }
    running.shipper->step(0);
    if (running.shipper->has_stored_all()) end(running, {});
  }
  running_.remove_if([](const Running& running) { return running.has_ended; });
}

bool HostSnapshots::is_busy() const {
  return std::any_of(running_.begin(), running_.end(), [](const Running& running) {
    return running.shipper && !running.shipper->is_waiting();
  });
}

void HostSnapshots::end(Running& running, const std::string& error) {
  running.has_ended = true;
  FleetSnapshotAnswer& answer = known_[running.request.id];
  answer.is_done = true;
  answer.error = error;
  if (running.shipper) {
    const ShipperCounts& counts = running.shipper->counts();
    answer.records = counts.records;
    answer.bytes = counts.bytes;
    answer.segments = counts.segments;
    if (answer.error.empty()) answer.error = running.uncopied;
    if (answer.error.empty()) answer.error = running.shipper->unread_first();
    if (counts.refused != 0)
      answer.error = "the server refused messages; see the log of ringship on this host";
    ++taken_;
  }
  if (!running.answer_to.empty()) answer_(running.answer_to, answer);
  std::error_code code;
  std::filesystem::remove_all(running.directory, code);
}

}  // namespace ringside::fleet
