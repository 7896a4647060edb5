#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/session_file.hpp"
#include "tools/live/session_file.hpp"
#include "tools/ringctl/living_consumer.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/session_command.hpp"
#include "tools/text/result_table.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr auto kStatusPause = std::chrono::milliseconds(5);

std::uint64_t listing_time_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

nlohmann::ordered_json json_of(const SessionFile& file, const SessionAnswer& answer,
                               const std::string& state) {
  nlohmann::ordered_json object;
  object["session"] = file.name();
  object["state"] = state;
  object["why"] = answer.why;
  object["services"] = answer.services;
  object["records"] = answer.records;
  object["dropped"] = answer.dropped;
  object["bytes"] = answer.bytes;
  object["end_unix_ns"] = answer.end_unix_ns;
  object["output"] = answer.output;
  return object;
}

// The last answer when the session is over; the present one if that takes too long. The consumerd
// that wrote it may have died, and another one may be about to take over.
std::optional<SessionAnswer> wait_for_end(const SessionFile& file, const std::string& shm_dir,
                                          std::uint64_t timeout_ns) {
  const auto deadline = steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  for (;;) {
    auto answer = file.answer();
    const bool over =
        !answer || answer->state == "ended" || (!answer->has_consumer && !consumer_lives(shm_dir));
    if (over || steady_clock::now() >= deadline) return answer;
    std::this_thread::sleep_for(kStatusPause);
  }
}

}  // namespace

int list_sessions(const SessionOptions& options) {
  const std::string& shm_dir = options.control.services.shm_dir;
  const bool json = options.control.json;
  std::vector<std::string> names;
  std::string why;
  if (!SessionFile::names(shm_dir, &names, &why)) {
    complain(why);
    return kCtlFailed;
  }
  ResultTable table;
  table.set_columns(
      {"session", "state", "left", "services", "records", "dropped", "bytes", "output"});
  for (const std::string& name : names) {
    const SessionFile file(shm_dir, name);
    const std::optional<SessionAnswer> answer = file.answer();
    const std::string state = session_state(file, answer);
    const SessionAnswer shown = answer.value_or(SessionAnswer());
    if (json) {
      say_json(json_of(file, shown, state));
      continue;
    }
    const std::uint64_t now_ns = listing_time_ns();
    const bool is_limited = state != "ended" && shown.end_unix_ns > now_ns;
    constexpr std::uint64_t kSecondNs = 1'000'000'000;
    table.add_row(
        {Cell::of_text(name), Cell::of_text(state),
         Cell::of_text(is_limited
                           ? duration_text((shown.end_unix_ns - now_ns) / kSecondNs * kSecondNs)
                           : "-"),
         Cell::of_count(shown.services), Cell::of_count(shown.records),
         Cell::of_count(shown.dropped), Cell::of_count(shown.bytes), Cell::of_text(shown.output)});
  }
  if (json) return kCtlOk;
  if (names.empty()) {
    say("no sessions in " + shm_dir);
  } else {
    say_lines(table.text(TableFormat::kText, true));
  }
  return kCtlOk;
}

int stop_session(const SessionOptions& options) {
  const std::string& name = options.name;
  const std::string& shm_dir = options.control.services.shm_dir;
  if (!shm::is_session_name(name)) {
    complain(name.empty() ? "session stop requires NAME; ringctl session list shows all sessions"
                          : name + ": invalid name; ringctl session list shows all sessions");
    return kCtlUsage;
  }
  SessionFile file(shm_dir, name);
  bool existed = false;
  std::string why;
  if (!file.withdraw(&existed, &why)) {
    complain(why);
    return kCtlFailed;
  }
  if (!existed && !file.answer()) {
    complain("no session " + name + " of this user in " + shm_dir +
             "; ringctl session list shows all sessions");
    return kCtlNobody;
  }
  const std::optional<SessionAnswer> last = wait_for_end(file, shm_dir, options.timeout_ns);
  if (last && last->state != "ended") {
    complain("session " + name + ": " +
             (last->has_consumer || consumer_lives(shm_dir)
                  ? "consumerd has not completed its files yet: its disk is full or slow; it "
                    "continues"
                  : "no consumerd runs; the next one completes its files"));
    return kCtlFailed;
  }
  const SessionAnswer shown = last.value_or(SessionAnswer());
  file.forget_answer();
  if (options.control.json) {
    say_json(json_of(file, shown, "ended"));
  } else {
    say(fmt::format("{}: ended ({}); {} records, {} dropped, in {}", name, shown.why, shown.records,
                    shown.dropped, shown.output));
  }
  return kCtlOk;
}

}  // namespace ringside::tool
