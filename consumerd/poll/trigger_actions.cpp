#include "consumerd/poll/trigger_actions.hpp"

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

// Why the program of a hook cannot be run, if it cannot; searched for in the same way as by the
// hook's process.
std::string hook_fault(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return access(program.c_str(), X_OK) == 0 ? std::string() : error_text(errno);
  }
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::istringstream directories(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (access(((directory.empty() ? "." : directory) + '/' + program).c_str(), X_OK) == 0)
      return {};
  }
  return "not found in any directory of PATH; list the program and each argument separately: "
         "[\"PROGRAM\", \"ARGUMENT\"]";
}

}  // namespace

bool TriggerActions::start() {
  std::string why;
  for (const TriggerRule& rule : options_.triggers) {
    if (rule.hook.empty()) continue;
    const std::string fault = hook_fault(rule.hook.front());
    if (fault.empty()) continue;
    log_.error("the hook of trigger " + rule.name + " cannot be started: " + rule.hook.front() +
               ": " + fault);
  }
  hooks_ = HookRunner::start(options_.triggers, options_.sandbox == SandboxChoice::kOff, &why);
  if (!why.empty()) {
    log_.error(why);
    return false;
  }
  queue_.set_rules(options_.triggers);
  return true;
}

void TriggerActions::follow_rules(const Sessions& sessions) {
  queue_.set_rules(options_.triggers);
  for (const auto& session : sessions) session->set_triggers(queue_);
  for (const TriggerRule& rule : options_.triggers) {
    if (can_run_hook(rule)) continue;
    log_.error("the hook of trigger " + rule.name +
               " cannot run until consumerd restarts: new hooks need a restart");
  }
}

bool TriggerActions::can_run_hook(const TriggerRule& rule) const {
  return rule.hook.empty() || (hooks_ != nullptr && hooks_->knows(rule));
}

void TriggerActions::check_losses(SegmentSession& session) {
  const std::uint64_t losses = session.new_losses();
  if (losses == 0) return;
  queue_.fire_all(TriggerRule::Cause::kLoss, session.trigger_source(),
                  std::to_string(losses) + " records lost", losses);
}

void TriggerActions::check_end(SegmentSession& session) {
  check_losses(session);
  if (!session.service_died()) return;
  queue_.fire_all(TriggerRule::Cause::kServiceDeath, session.trigger_source(),
                  "the service died without ending its trace");
}

void TriggerActions::carry_out_all(const Sessions& sessions) {
  while (const auto firing = queue_.next()) carry_out(*firing, sessions);
  if (hooks_ == nullptr) return;
  for (const std::string& rule : hooks_->take_ends(log_)) queue_.count_failed_hook(rule);
}

void TriggerActions::carry_out(const TriggerFiring& firing, const Sessions& sessions) {
  const TriggerRule& rule = *firing.rule;
  const TriggerSource& source = firing.source;
  log_.notice(
      "trigger " + rule.name + ": " + source.service + " (pid " + std::to_string(source.pid) + ")" +
          (firing.statement.empty() ? "" : " at " + firing.statement) + ": " + firing.message,
      {{"trigger", rule.name},
       {"segment", source.segment},
       {"statement", firing.statement},
       {"record", firing.message}});
  for (const auto& session : sessions) {
    if (session->ending()) continue;
    if (rule.snapshot) session->request_snapshot();
    if (!rule.level) continue;
    const bool meant =
        rule.level_services.empty()
            ? session->name() == source.segment
            : trace::any_service_glob_fits(rule.level_services, session->trigger_source().service);
    if (meant) session->admit_level(*rule.level, rule.level_for, rule.name);
  }
  snapshot_wanted_ = snapshot_wanted_ || rule.snapshot;
  if (rule.hook.empty()) return;
  if (!can_run_hook(rule) || !hooks_->run(firing, log_)) queue_.count_failed_hook(rule.name);
}

}  // namespace ringside::consumer
