#include "consumerd/poll/poll_loop.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "consumerd/files/file_packer.hpp"
#include "consumerd/poll/collection_filters.hpp"
#include "consumerd/sandbox/sandbox.hpp"
#include "consumerd/write/recovery.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::milliseconds;
constexpr auto kSegmentScanInterval = milliseconds(5);  // for new segments
constexpr auto kTendInterval = milliseconds(10);
constexpr auto kAliveInterval = milliseconds(50);
constexpr auto kLossCheckInterval = std::chrono::seconds(1);
constexpr auto kLongestSleep = milliseconds(100);
constexpr auto kWriteCheckInterval = milliseconds(10);  // of writes for which nothing waits
constexpr auto kAdoptTime = milliseconds(5);  // per check: present segments must be drained too

}  // namespace

bool PollLoop::open() {
  // First, because it forks, and hooks must not inherit what is opened below.
  if (!triggers_.start()) return false;
  // Without it the trace is complete, too.
  if (const std::string fault = manager_.open(); !fault.empty()) log_.notice(fault);
  std::string why;
  if (!directory_.open(&why)) {
    log_.error(why);
    return false;
  }
  std::error_code error;
  const std::string real_shm_dir = std::filesystem::canonical(options_.shm_dir, error);
  pace_.watch(directory_.descriptor());
  // Before recovery, which can take long.
  directory_.show_presence();
  if (!writers_.open_io(options_.io, encoder_threads(options_), &why)) {
    log_.error(why + "; or use --io pwrite");
    return false;
  }
  if (!why.empty()) log_.notice(why);
  UniqueFd listening;
  if (!options_.metrics.empty() && !MetricsCollector::listen(options_.metrics, log_, &listening)) {
    return false;
  }
  placement_.open(options_);
  // Before any data of a segment is read; inside the sandbox neither an io_uring nor a socket can
  // be created.
  if (!enter_sandbox_by_choice(options_, SessionText::directories(options_),
                               staged_directories(options_.shm_dir), log_)) {
    return false;
  }
  // Before any segment is adopted: its positions may still be in a dead consumerd's staging file.
  left_staging_.recover();
  recover_unmarked_staging(real_shm_dir, options_.output_dir, log_, options_.sync.syncs());
  remove_broken_off_packing(options_.output_dir, [this](const std::string& service) {
    return serves(options_, service);
  });
  if (!staging_.open(real_shm_dir, &why)) {
    log_.error(why);
    return false;
  }
  if (staging_.file().is_elsewhere()) log_.error(why);
  writers_.open(staging_.file(), log_, options_.sync);
  threads_.start(writers_.threads());
  log_.detail(std::string("writing with ") + writers_.io_name());
  if (listening) {
    metrics_ = MetricsCollector::open(std::move(listening), options_.metrics, log_);
    if (metrics_ == nullptr) return false;
  }
  files_.follow_policy(options_, sessions_);
  text_.open(options_);
  session_control_.open();
  return true;
}

int PollLoop::run() {
  if (!open()) return kExitFailure;
  adoption_.adopt_due(directory_.appeared(), Clock::duration::max());
  // If another consumerd owns some segments, that may be a transient state or one unusual service;
  // if it owns all of them, a second consumerd is running.
  if (adoption_.owned_by_other() && sessions_.empty()) return kExitOwned;
  log_.detail("watching " + options_.shm_dir);
  if (options_.once) return run_once();
  manager_.ready(status());
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto now = Clock::now();
    manager_.beat(now);
    if (manager_.status_is_due(now)) manager_.show_status(now, status());
    scan_for_segments(now);
    if (adoption_.is_second_consumer()) return kExitOwned;
    turns_.take(adoption_, sessions_, now);
    keep_directory(now);
    update_metrics(now);
    if (staging_.is_changing()) {
      // No new data enters staging until then.
      writers_.poll(true);
      continue;
    }
    if (rotate_.exchange(false, std::memory_order_relaxed)) {
      manager_.reloading();
      reload();
      rotate_all();
      manager_.ready(status());
    }
    const RoundResult round = poll_all();
    writers_.poll(false);
    tend_all(now);
    session_control_.tend(sessions_, directory_.take_session_requests(), now);
    triggers_.carry_out_all(sessions_);
    if (triggers_.take_wanted_snapshot()) adoption_.want_snapshot();
    if (metrics_) metrics_->count_round(Clock::now() - now);
    if (!advance_ends().room || round.starved) {
      make_room();
    } else {
      pace_.rest_after(round, sessions_, next_round(now));
    }
  }
  // Services that began since the last round.
  adoption_.adopt_due(directory_.appeared(), Clock::duration::max());
  return finish();
}

void PollLoop::keep_directory(Clock::time_point now) {
  if (directory_.check(now) && !directory_.is_gone() && !staging_.is_changing() &&
      !staging_.file().reachable() && staging_.replace_removed()) {
    seal_all();
  }
  if (!directory_.is_gone() && staging_.return_to_memory(now)) seal_all();
  staging_.leave_full_memory();
  change_staging();
}

void PollLoop::change_staging() {
  if (!staging_.change_if_empty(writers_)) return;
  for (const auto& session : sessions_) session->name_staging(staging_.file());
}

void PollLoop::scan_for_segments(Clock::time_point now) {
  if (now - last_scan_ < kSegmentScanInterval) return;
  pace_.begin_reading();
  const std::vector<std::string> appeared = directory_.appeared();
  if (!appeared.empty()) pace_.stay_awake(now);
  adoption_.adopt_due(appeared, kAdoptTime);
  last_scan_ = Clock::now();
}

const SegmentSession* PollLoop::start_session(std::unique_ptr<AttachedSegment> segment,
                                              std::string* why) {
  std::unique_ptr<SegmentSession> session = SegmentSession::start(
      std::move(segment), options_.output_dir, writers_.of(0), staging_.file(), log_, why);
  if (session == nullptr) return nullptr;
  session->use(writers_, threads_);
  files_.adopt(*session);
  text_.adopt(*session);
  session->set_rotation(options_.rotation);
  session->set_rules(options_.rules);
  session->set_filters(described_filters(options_));
  session->set_triggers(triggers_.queue());
  session_control_.adopt(*session);
  if (const auto between = adoption_.take_between_turns(session->name())) {
    session->resume(*between);
  } else {
    log_.detail("draining " + session->name() + " into " + session->file().path(),
                {{"segment", session->name()}, {"file", session->file().path()}});
  }
  if (metrics_) metrics_->adopt(*session);
  sessions_.push_back(std::move(session));
  return sessions_.back().get();
}

// One round over all sessions. A session that finds staging full begins the next round: there may
// be fewer slots than segments, and otherwise the first sessions would take all slots every time.
RoundResult PollLoop::poll_all() {
  RoundResult sum;
  const auto begin = Clock::now();
  const std::size_t count = sessions_.size();
  const bool is_short = short_rounds_.may_end_early(count, begin);
  const std::size_t first = first_session_ < count ? first_session_ : 0;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    // A round over hundreds of busy segments takes longer than a new segment can wait.
    scan_for_segments(Clock::now());
    SegmentSession& session = *sessions_[index];
    if (session.ending()) continue;
    const RoundResult one = session.poll();
    if (session.truncated()) end_of_truncated(session);
    sum.ring_bytes += one.ring_bytes;
    sum.fullest_permille = std::max(sum.fullest_permille, one.fullest_permille);
    if (one.starved && !sum.starved) first_session_ = index;
    sum.starved = sum.starved || one.starved;
    if (sum.starved && is_short) return sum;
  }
  short_rounds_.reached_all(begin, Clock::now());
  return sum;
}

void PollLoop::reload() {
  if (options_.config_file.empty()) return;
  std::vector<std::string> faults;
  std::vector<std::string> fixed;
  std::optional<Options> next = reload_options(options_, &faults, &fixed);
  for (const std::string& fault : faults) log_.error(fault, {{"file", options_.config_file}});
  if (!next) {
    return log_.error("keeping the previous configuration; fix the file and send SIGHUP again");
  }
  for (const std::string& name : fixed) {
    log_.error(options_.config_file + ": " + name +
                   " cannot change while consumerd runs: keeping the value of the start; restart "
                   "consumerd",
               {{"file", options_.config_file}, {"setting", name}});
  }
  options_ = std::move(*next);
  for (const auto& session : sessions_) {
    session->set_rotation(options_.rotation);
    session->set_rules(options_.rules, "read " + options_.config_file + " again");
  }
  files_.follow_policy(options_, sessions_);
  text_.follow_policy(options_);
  triggers_.follow_rules(sessions_);
  log_.notice("SIGHUP: " + options_.config_file + " was read again",
              {{"file", options_.config_file}});
}

void PollLoop::rotate_all() {
  log_.detail("SIGHUP: starting new files");
  for (const auto& session : sessions_) session->request_rotation();
  adoption_.request_rotation();
  text_.rotate_all();
}

void PollLoop::update_metrics(Clock::time_point now) {
  if (metrics_ == nullptr || !metrics_->is_due(now)) return;
  ConsumerFigures figures;
  figures.segments_refused = adoption_.refused();
  figures.segments_waiting = adoption_.turns().size();
  figures.failed_recoveries = adoption_.failing_recoveries(now);
  figures.bytes_written = writers_.bytes_written();
  figures.write_failures = writers_.failures();
  figures.failing_writes = writers_.failing();
  writers_.count_syncs(&figures.syncs, &figures.sync_failures);
  figures.slots = staging_.file().slots();
  figures.slots_used = staging_.file().slots_used();
  figures.directory_gone = directory_.is_gone();
  figures.triggers = triggers_.queue().counts();
  figures.unshipped = files_.unshipped();
  figures.text = text_.counts();
  figures.sessions = session_control_.counts();
  metrics_->gather(sessions_, now, figures, trouble());
}

void PollLoop::end_of_truncated(SegmentSession& session) {
  log_.error(session.name() +
                 " was truncated by another process: all its rings are quarantined; removed it",
             {{"segment", session.name()}});
  session.begin_end(session.service_alive() ? trace::EndReason::kConsumerEnded
                                            : trace::EndReason::kServiceEnded);
}

void PollLoop::tend_all(Clock::time_point now) {
  if (now - last_tend_ < kTendInterval) return;
  last_tend_ = now;
  log_.report_suppressed();
  files_.notify(sessions_);
  text_.notify(sessions_, writers_.slots_written());
  const bool losses_are_due = now - last_loss_check_ >= kLossCheckInterval;
  if (losses_are_due) last_loss_check_ = now;
  placement_.follow(sessions_, now);
  for (const auto& session : sessions_) {
    if (session->ending()) continue;
    session->tend();
    if (losses_are_due) triggers_.check_losses(*session);
  }
  if (now - last_alive_check_ < kAliveInterval) return;
  last_alive_check_ = now;
  for (const auto& session : sessions_) {
    if (session->ending() || session->service_alive()) continue;
    triggers_.check_end(*session);
    session->begin_end(trace::EndReason::kServiceEnded);
  }
}

PollLoop::Ends PollLoop::advance_ends() {
  Ends ends;
  for (std::size_t i = sessions_.size(); i-- > 0;) {
    SegmentSession& session = *sessions_[i];
    if (!session.ending()) continue;
    const SegmentSession::End end = session.try_end();
    ends.room = ends.room && end != SegmentSession::End::kNoSpace;
    ends.stalled = ends.stalled || end == SegmentSession::End::kStalled;
    if (end != SegmentSession::End::kOver) continue;
    const bool comes_back = session.turn_is_over() && !session.truncated();
    if (metrics_ && comes_back) metrics_->interrupt(session);
    if (metrics_ && !comes_back) metrics_->end(session);
    session.leave();
    if (comes_back) {
      adoption_.interrupted(session);
    } else {
      log_.detail("finished " + session.name() + ": " + std::to_string(session.counts().records) +
                      " records, " + std::to_string(session.counts().dropped) + " dropped",
                  {{"segment", session.name()}});
      adoption_.ended(session);
    }
    sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(i));
    files_.ended();
  }
  return ends;
}

// Frees staging slots: waits for the disk, or else seals slots that other sessions are filling.
void PollLoop::make_room() {
  if (writers_.only_failing()) seal_all();
  writers_.poll(true);
}

std::string PollLoop::status() const {
  const std::string why = trouble();
  return "serving " + std::to_string(sessions_.size()) +
         (sessions_.size() == 1 ? " segment" : " segments") +
         (why.empty() ? "" : "; " + shown(why));
}

// Until when only a wake-up makes a round necessary; `now` if one may be necessary soon.
PollLoop::Clock::time_point PollLoop::next_round(Clock::time_point now) const {
  if (!adoption_.turns().empty() || adoption_.undrained().any_waits()) return now;
  if (session_control_.is_active()) return now;
  auto latest = now + (writers_.idle() ? kLongestSleep : kWriteCheckInterval);
  latest = std::min(latest, manager_.next_beat().value_or(latest));
  return std::min(latest, adoption_.next_check().value_or(latest));
}

}  // namespace ringside::consumer
