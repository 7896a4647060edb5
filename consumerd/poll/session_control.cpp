#include "consumerd/poll/session_control.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "consumerd/sessions/session_output.hpp"
#include "consumerd/write/recovery.hpp"
#include "consumerd/write/session_cursors.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kCheckInterval = std::chrono::milliseconds(50);
constexpr auto kAnswerInterval = std::chrono::seconds(1);
constexpr auto kFailedRecoveryInterval = std::chrono::seconds(5);
// Each has a thread and up to 31 MiB of buffers.
constexpr std::size_t kMostSessions = 8;

std::uint64_t unix_now_ns() {
  return shm::read_clocks().realtime_ns;
}

}  // namespace

void SessionControl::open() {
  close_abandoned();
  for (const std::string& name : requests_.names()) {
    if (!accept(name, {})) waiting_.insert(name);
  }
}

// Sessions whose request was removed while no consumerd ran.
void SessionControl::close_abandoned() {
  const std::vector<std::string> requested = requests_.names();
  for (const std::string& name : requests_.answered_names()) {
    std::optional<SessionStatus> status = requests_.answered(name);
    shm::SessionUuid uuid{};
    if (!status || status->state == "ended" || status->state == "refused" ||
        std::binary_search(requested.begin(), requested.end(), name) ||
        !SessionSpec::parse_uuid(status->uuid, &uuid)) {
      continue;
    }
    remove_cursor_files(options_.shm_dir, uuid);
    status->state = "ended";
    status->why = "stopped while no consumerd ran";
    requests_.answer(name, *status);
  }
}

bool SessionControl::accept(const std::string& name, const Segments& segments) {
  std::optional<SessionRequest> request = requests_.read(name);
  if (!request) return true;
  std::string why;
  std::optional<SessionSpec> spec = SessionSpec::parse(request->text, name, &why);
  if (!spec) {
    refuse(name, {}, why);
    return true;
  }
  const std::string uuid = uuid_text(spec->uuid);
  const auto before = requests_.answered(name);
  const bool resumes =
      before && before->uuid == uuid && before->state != "ended" && before->state != "refused";
  // The positions in a staging file that is not finished are ahead of those in the cursor files.
  if (resumes &&
      recover_staging(options_.shm_dir, before->staging, log_) == RecoveryResult::kFailed) {
    return false;
  }
  why = obstacle(*spec, resumes);
  if (!why.empty() || !start(name, std::move(*spec), std::move(*request),
                             resumes ? &*before : nullptr, segments, &why)) {
    refuse(name, uuid, why);
  }
  return true;
}

std::string SessionControl::obstacle(const SessionSpec& spec, bool resumes) const {
  std::string why;
  if (!may_write_session(spec, {options_.output_dir, options_.session_dirs}, !resumes, &why)) {
    return why;
  }
  if (running_.size() >= kMostSessions) {
    return "8 sessions run already; stop one with ringctl session stop NAME";
  }
  for (const auto& [other, running] : running_) {
    if (running.session->spec().output_dir == spec.output_dir) {
      return "session " + other + " already writes to " + spec.output_dir +
             "; use another directory";
    }
  }
  return {};
}

// `before`: the last answer of an earlier consumerd to this request; null: there is none.
bool SessionControl::start(const std::string& name, SessionSpec spec, SessionRequest request,
                           const SessionStatus* before, const Segments& segments,
                           std::string* why) {
  Running running;
  running.session = TraceSession::start(std::move(spec), options_.shm_dir, log_, why);
  if (running.session == nullptr) return false;
  running.request = std::move(request);
  running.start_unix_ns = before != nullptr ? before->start_unix_ns : unix_now_ns();
  if (before != nullptr) {
    running.before.records = before->records;
    running.before.dropped = before->dropped;
  }
  // Before anything is committed: a successor finds the staging file by it.
  if (!requests_.answer(name, status(running, "starting", 0))) {
    *why = "cannot write the status file; make room in " + options_.shm_dir +
           ", or choose another name";
    return false;
  }
  Running& placed = running_.insert_or_assign(name, std::move(running)).first->second;
  log_.notice("session " + name + (before != nullptr ? " continues in " : " writes to ") +
              placed.session->spec().output_dir);
  for (const auto& segment : segments) add(placed, *segment);
  requests_.answer(name, status(placed, "running", services_of(placed, segments)));
  return true;
}

void SessionControl::refuse(const std::string& name, const std::string& uuid,
                            const std::string& why) {
  log_.error("session " + name + " refused: " + why);
  SessionStatus status;
  status.state = "refused";
  status.why = why;
  status.uuid = uuid;
  requests_.answer(name, status);
  requests_.remove(name);
}

void SessionControl::adopt(SegmentSession& segment) {
  for (auto& [name, running] : running_) add(running, segment);
}

void SessionControl::add(Running& running, SegmentSession& segment) {
  TraceSession& session = *running.session;
  if (session.is_ending() || segment.has_session(session) ||
      !session.spec().is_for(std::string(shm::service_of_segment_name(segment.name())),
                             segment.trigger_source().pid)) {
    return;
  }
  std::string why;
  if (segment.add_session(session, &why) || !running.refused.insert(segment.name()).second) return;
  log_.error("session " + session.spec().name + " does not take the records of " + segment.name() +
                 ": " + why,
             {{"segment", segment.name()}});
}

void SessionControl::tend_all(const Segments& segments, Clock::time_point now) {
  for (auto& [name, running] : running_) running.session->poll();
  if (now - last_check_ < kCheckInterval) return;
  last_check_ = now;
  const bool answers = now - last_answer_ >= kAnswerInterval;
  if (answers) last_answer_ = now;
  for (auto& [name, running] : running_) {
    check_end(name, running);
    if (!answers) continue;
    requests_.answer(name, status(running, running.session->is_ending() ? "ending" : "running",
                                  services_of(running, segments)));
  }
  for (auto it = running_.begin(); it != running_.end();) {
    if (!is_over(it->second, segments)) {
      ++it;
      continue;
    }
    end(it->first, it->second);
    it = running_.erase(it);
  }
  if (now < retry_) return;
  for (const std::string& name : std::exchange(waiting_, {})) {
    // A session that ends has its name until it is over.
    const auto present = running_.find(name);
    if (present != running_.end()) {
      if (!requests_.persists(name, present->second.request)) waiting_.insert(name);
    } else if (!accept(name, segments)) {
      waiting_.insert(name);
      retry_ = now + kFailedRecoveryInterval;
    }
  }
}

void SessionControl::check_end(const std::string& name, Running& running) {
  TraceSession& session = *running.session;
  if (session.is_ending()) return;
  const std::uint64_t end_unix_ns = session.spec().end_unix_ns;
  if (!requests_.persists(name, running.request)) {
    session.begin_end("stopped");
  } else if (end_unix_ns != 0 && unix_now_ns() >= end_unix_ns) {
    session.begin_end("its time was over");
  }
}

bool SessionControl::is_over(const Running& running, const Segments& segments) const {
  return running.session->is_ending() && running.session->all_written() &&
         services_of(running, segments) == 0;
}

void SessionControl::end(const std::string& name, Running& running) {
  const SessionStatus last = status(running, "ended", 0);
  if (requests_.persists(name, running.request)) requests_.remove(name);
  remove_cursor_files(options_.shm_dir, running.session->spec().uuid);
  requests_.answer(name, last);
  log_.notice("session " + name + " ended: " + last.why + "; " + std::to_string(last.records) +
              " records, " + std::to_string(last.dropped) + " dropped");
}

std::uint64_t SessionControl::services_of(const Running& running, const Segments& segments) {
  return static_cast<std::uint64_t>(
      std::count_if(segments.begin(), segments.end(),
                    [&](const auto& segment) { return segment->has_session(*running.session); }));
}

SessionStatus SessionControl::status(const Running& running, const std::string& state,
                                     std::uint64_t services) const {
  TraceSession& session = *running.session;
  SessionStatus status;
  status.state = state;
  status.why = session.end();
  status.uuid = uuid_text(session.spec().uuid);
  const std::string& staging = session.staging().path();
  status.staging = staging.substr(staging.rfind('/') + 1);
  status.output = session.spec().output_dir;
  status.records = running.before.records + session.counts().records;
  status.dropped = running.before.dropped + session.counts().dropped;
  status.bytes = session.bytes_written();
  status.start_unix_ns = running.start_unix_ns;
  status.end_unix_ns = session.spec().end_unix_ns;
  status.services = services;
  status.failing = session.is_failing();
  return status;
}

void SessionControl::finish(Clock::duration patience) {
  const auto deadline = Clock::now() + patience;
  for (auto it = running_.begin(); it != running_.end();) {
    Running& running = it->second;
    while (!running.session->all_written() && Clock::now() < deadline) {
      running.session->poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    check_end(it->first, running);
    if (running.session->is_ending() && running.session->all_written()) {
      end(it->first, running);
      it = running_.erase(it);
      continue;
    }
    requests_.answer(it->first, status(running, "running", 0));
    ++it;
  }
}

std::map<std::string, SessionCount> SessionControl::counts() const {
  std::map<std::string, SessionCount> counts;
  for (const auto& [name, running] : running_) {
    const SessionCounts& counted = running.session->counts();
    counts[name] = {running.before.records + counted.records,
                    running.before.dropped + counted.dropped, running.session->bytes_written()};
  }
  return counts;
}

}  // namespace ringside::consumer
