#include "tools/ringctl/request_commands.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/segment_control.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;
using Request = SegmentControl::Request;

constexpr auto kAnswerPause = std::chrono::milliseconds(2);

struct Asked {
  std::unique_ptr<SegmentControl> control;
  std::uint64_t number = 0;
};

// Whether what was answered is durable; otherwise `*why` describes the obstacle.
bool is_durable(Asked& asked, std::string* why) {
  std::uint64_t failures = 0;
  if (!asked.control->sync_failures(&failures)) {
    *why = asked.control->why();
    return false;
  }
  if (failures == 0) return true;
  *why = fmt::format(
      "{}: consumerd could not sync its files ({} times so far): records from before may be "
      "missing "
      "after a crash of the machine; see the log of consumerd",
      asked.control->path(), failures);
  return false;
}

// Whether it was answered in time; otherwise `*why` describes the obstacle.
bool wait_for(Asked& asked, Request what, steady_clock::time_point deadline, std::string* why) {
  for (;;) {
    std::uint64_t answered = 0;
    if (!asked.control->answered(what, &answered)) {
      *why = asked.control->why();
      return false;
    }
    if (answered >= asked.number) return what != Request::kDurableFlush || is_durable(asked, why);
    if (steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kAnswerPause);
  }
  *why =
      asked.control->has_consumer()
          ? "the consumerd of " + asked.control->path() +
                " does not answer: it is stopped, or its disk is full or slow; run ringctl doctor"
          : "the consumerd of " + asked.control->path() + " has ended; start one";
  return false;
}

// Sends the request, unless that is useless: then `*why` says why.
bool send(Asked& asked, Request what, steady_clock::time_point consumer_deadline,
          std::string* why) {
  SegmentControl& control = *asked.control;
  bool refuses = false;
  if (what != Request::kRotation && control.overwritten()) {
    *why = control.path() +
           ": its rings are overwritten and not drained; use ringctl snapshot to write their "
           "records";
    return false;
  }
  if (!control.wait_for_consumer(consumer_deadline)) {
    *why = "no consumerd serves " + control.path() + "; start one";
    return false;
  }
  const bool is_read = what != Request::kDurableFlush || control.refuses_durable_flush(&refuses);
  if (is_read && refuses) {
    *why = "the consumerd of " + control.path() +
           " is older than this ringctl and has no durable flush; restart it with this version";
    return false;
  }
  if (!is_read || !control.lock() || !control.request(what, &asked.number)) {
    *why = control.why();
    return false;
  }
  control.unlock();
  return true;
}

const char* done_text(Request what) {
  if (what == Request::kRotation) return "continues in a new file";
  return what == Request::kFlush ? "all records are written" : "all records are on the disk";
}

int run_request(int argc, char** argv, Request what) {
  const bool flush = what == Request::kFlush;
  CLI::App app(
      flush ? "Waits until all records so far are in the trace files."
            : "Makes consumerd continue the traces of services in new files, and waits for that.",
      flush ? "ringctl flush" : "ringctl rotate");
  ControlOptions options;
  std::string timeout = "10s";
  bool durable = false;
  if (flush) {
    app.add_flag("--durable", durable, "wait until they are synced to the disk, too");
  }
  app.add_option("--timeout", timeout, "longest wait for consumerd")
      ->type_name("DURATION")
      ->capture_default_str();
  add_control_options(app, options);
  app.footer(
      "Exit status: 0 success, 1 failed for a service (see standard error), 2 invalid usage,\n"
      "3 no such service.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  const auto timeout_ns = parse_timeout(timeout);
  if (!timeout_ns) return kCtlUsage;
  if (durable) what = Request::kDurableFlush;
  std::string why;
  std::vector<Asked> asked;
  bool any = false;
  bool all = true;
  const auto give_up = [&](const std::string& text) {
    complain(text);
    all = false;
  };
  const auto start = steady_clock::now();
  const auto deadline = start + std::chrono::nanoseconds(*timeout_ns);
  const auto consumer_deadline = std::min(deadline, start + kConsumerOnItsWay);
  // Sends all requests before it waits for the first answer.
  for (const std::string& path : chosen_segments(options.services, &why)) {
    Asked one{SegmentControl::open(path, &why), 0};
    if (one.control == nullptr && why.empty()) continue;
    any = true;
    if (one.control == nullptr || !send(one, what, consumer_deadline, &why)) {
      give_up(std::exchange(why, {}));
    } else {
      asked.push_back(std::move(one));
    }
  }
  if (!any) {
    complain(why.empty() ? no_such_service(options.services) : why);
    return kCtlNobody;
  }
  for (Asked& one : asked) {
    if (!wait_for(one, what, deadline, &why)) {
      give_up(why);
      continue;
    }
    const std::string& path = one.control->path();
    if (options.json) {
      nlohmann::ordered_json object;
      object["service"] = service_of(path);
      object["pid"] = pid_of(path);
      object["done"] = flush ? "flush" : "rotate";
      if (flush) object["durable"] = durable;
      say_json(object);
    } else {
      say(fmt::format("{} {}: {}", service_of(path), pid_of(path), done_text(what)));
    }
  }
  return all ? kCtlOk : kCtlFailed;
}

}  // namespace

int run_flush(int argc, char** argv) {
  return run_request(argc, argv, Request::kFlush);
}

int run_rotate(int argc, char** argv) {
  return run_request(argc, argv, Request::kRotation);
}

}  // namespace ringside::tool
