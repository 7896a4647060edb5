#include "tools/ringctl/list_command.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "shm-layout/clock_reading.hpp"
#include "shm-layout/site_switch.hpp"
#include "shm-layout/tick_time.hpp"
#include "tools/live/segment_image.hpp"
#include "tools/live/segment_status.hpp"
#include "tools/live/statement_list.hpp"
#include "tools/ringctl/control_command.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/statement_choice.hpp"
#include "tools/text/policy_name.hpp"
#include "tools/text/result_table.hpp"

namespace ringside::tool {
namespace {

enum class What { kServices, kStatements, kThreads };

// One listed segment.
struct Listed {
  std::unique_ptr<SegmentImage> image;
  SegmentStatus status;
  std::uint64_t now_tsc = 0;

  std::uint64_t deadline_ns(std::uint32_t slot) const {
    const std::uint64_t deadline = image->control().switch_deadlines[slot];
    return deadline > now_tsc ? shm::ticks_to_ns(deadline - now_tsc, status.tick_hz) : 0;
  }
};

// The state of a switch, and the time until it reverts.
struct SwitchState {
  bool on = false;
  bool counting = false;
  bool stacks = false;
  std::uint64_t remaining_ns = 0;  // 0: permanent
};

SwitchState switch_state(const Listed& listed, std::uint8_t state) {
  SwitchState now;
  std::uint8_t plain = state;
  if (shm::is_timed(state)) {
    now.remaining_ns = listed.deadline_ns(shm::switch_deadline_slot(state));
    plain = now.remaining_ns != 0 ? shm::switch_meanwhile(state) : shm::switch_after(state);
  }
  now.stacks = shm::is_with_stack(plain);
  plain = shm::switch_without_stack(plain);
  now.on = plain == shm::kSwitchOn || plain == shm::kSwitchOnConsumerClock;
  now.counting = plain == shm::kSwitchCounting;
  return now;
}

nlohmann::ordered_json base_json(const SegmentStatus& status) {
  nlohmann::ordered_json object;
  object["service"] = status.service;
  object["pid"] = status.pid;
  return object;
}

// The present level, and the time until it reverts.
std::pair<std::string, std::uint64_t> level_in_force(const Listed& listed) {
  const std::uint32_t word = listed.status.level_word;
  std::uint64_t remaining_ns = 0;
  if (shm::is_timed_level(word)) remaining_ns = listed.deadline_ns(shm::level_deadline_slot(word));
  const std::uint32_t level =
      remaining_ns != 0 ? shm::level_meanwhile(word) : shm::level_after(word);
  return {std::string(shm::level_name(static_cast<shm::Level>(level))), remaining_ns};
}

class Listing {
 public:
  Listing(What what, bool json) : what_(what), json_(json) {
    if (json) return;
    switch (what) {
      case What::kServices:
        table_.set_columns({"service", "pid", "state", "consumerd", "policy", "level", "threads",
                            "statements", "ring", "memory", "lost"});
        break;
      case What::kStatements:
        table_.set_columns({"service", "pid", "site", "switch", "counted", "suppressed", "level",
                            "place", "function", "text"});
        break;
      case What::kThreads:
        table_.set_columns({"service", "pid", "ring", "thread", "name", "state", "fill", "lost"});
        break;
    }
  }

  void add(const Listed& listed, const StatementChoice& choice, std::string* damage) {
    switch (what_) {
      case What::kServices:
        return add_service(listed);
      case What::kStatements:
        return add_statements(listed, choice, damage);
      case What::kThreads:
        return add_threads(listed);
    }
  }

  std::size_t rows() const { return rows_; }
  void print() const {
    if (!json_ && rows_ != 0) say_lines(table_.text(TableFormat::kText, true));
  }

 private:
  void add_row(const nlohmann::ordered_json& object, std::vector<Cell> cells) {
    ++rows_;
    if (json_) {
      say_json(object);
    } else {
      table_.add_row(std::move(cells));
    }
  }

  void add_service(const Listed& listed) {
    const SegmentStatus& status = listed.status;
    const auto [level, level_ns] = level_in_force(listed);
    nlohmann::ordered_json object = base_json(status);
    object["segment"] = status.path;
    object["exe"] = status.exe;
    object["alive"] = status.alive;
    object["consumer"] = health_name(status.consumer);
    if (status.consumer != ConsumerHealth::kNone) object["consumer_pid"] = status.consumer_pid;
    object["policy"] = policy_name(status.policy);
    object["block_timeout_ms"] = status.block_timeout_ms;
    object["level"] = level;
    if (level_ns != 0) object["level_for_ns"] = level_ns;
    object["threads"] = status.active_threads();
    object["statements"] = status.site_count;
    object["ring_bytes"] = status.ring_bytes;
    object["memory_bytes"] = status.memory_bytes;
    object["lost"] = status.lost();
    add_row(object,
            {Cell::of_text(status.service), Cell::of_count(status.pid),
             Cell::of_text(status.alive ? "running" : "ended"),
             Cell::of_text(health_name(status.consumer)), Cell::of_text(policy_name(status.policy)),
             Cell::of_text(level_ns != 0 ? level + " for " + duration_text(level_ns) : level),
             Cell::of_count(status.active_threads()), Cell::of_count(status.site_count),
             Cell::of_count(status.ring_bytes), Cell::of_count(status.memory_bytes),
             Cell::of_count(status.lost())});
  }

  void add_statements(const Listed& listed, const StatementChoice& choice, std::string* damage) {
    const std::vector<std::uint8_t> switches = listed.image->switches(listed.status.site_count);
    const auto executions = listed.image->executions(listed.status.site_count);
    for (const ListedStatement& statement : list_statements(*listed.image, damage)) {
      if (!choice.wants(statement) || statement.id >= switches.size()) continue;
      const SwitchState state = switch_state(listed, switches[statement.id]);
      nlohmann::ordered_json object = base_json(listed.status);
      object["site"] = statement.id;
      object["enabled"] = state.on;
      object["counting"] = state.counting;
      object["stacks"] = state.stacks;
      if (state.remaining_ns != 0) object["for_ns"] = state.remaining_ns;
      object["level"] = shm::level_name(statement.level);
      object["category"] = statement.category;
      object["keywords"] = statement.keywords;
      object["name"] = statement.name;
      object["file"] = statement.file;
      object["line"] = statement.line;
      object["function"] = statement.function;
      object["text"] = statement.format;
      const auto count = statement.id < executions.size() ? executions[statement.id]
                                                          : SegmentImage::ExecutionCounts{};
      object["executions"] = {{"counted", count.counted}, {"suppressed", count.suppressed}};
      std::string word = state.counting ? "counting" : state.on ? "on" : "off";
      if (state.stacks) word += " with stacks";
      if (state.remaining_ns != 0) word += " for " + duration_text(state.remaining_ns);
      add_row(object,
              {Cell::of_text(listed.status.service), Cell::of_count(listed.status.pid),
               Cell::of_count(statement.id), Cell::of_text(word), Cell::of_count(count.counted),
               Cell::of_count(count.suppressed), Cell::of_text(shm::level_name(statement.level)),
               Cell::of_text(statement.place()), Cell::of_text(statement.function),
               Cell::of_text(statement.format)});
    }
  }

  void add_threads(const Listed& listed) {
    for (const RingStatus& ring : listed.status.rings) {
      if (ring.state == shm::RingState::kFree) continue;
      nlohmann::ordered_json object = base_json(listed.status);
      object["ring"] = ring.ring;
      object["stream"] = ring.stream_id;
      object["thread"] = {{"id", ring.thread_id}, {"name", ring.thread_name}};
      object["running"] = ring.active();
      object["fill_bytes"] = ring.fill_bytes;
      object["lost"] = ring.dropped;
      object["quarantined"] = ring.quarantine != 0;
      std::string state = ring.active() ? "running" : "ended";
      if (ring.quarantine != 0) state += ", quarantined";
      add_row(object, {Cell::of_text(listed.status.service), Cell::of_count(listed.status.pid),
                       Cell::of_count(ring.ring), Cell::of_count(ring.thread_id),
                       Cell::of_text(ring.thread_name), Cell::of_text(state),
                       Cell::of_count(ring.fill_bytes), Cell::of_count(ring.dropped)});
    }
  }

  What what_;
  bool json_;
  ResultTable table_;
  std::size_t rows_ = 0;
};

}  // namespace

int run_list(int argc, char** argv) {
  CLI::App app(
      "Lists the services that are traced, or that ended and left records; or their\n"
      "statements, or their threads.",
      "ringctl list");
  ControlOptions options;
  StatementChoice choice;
  bool statements = false;
  bool threads = false;
  app.add_flag("--statements", statements, "list every statement and whether it is enabled");
  app.add_flag("--threads", threads, "list every thread that has a ring")->excludes("--statements");
  choice.add_options(app, false);
  add_control_options(app, options);
  app.footer(
      "Read-only; works without a consumerd.\n"
      "\n"
      "Exit status: 0 something is listed, 1 a segment could not be read (see standard\n"
      "error), 2 invalid usage, 3 nothing to list.");
  if (const int status = parse_or_status(app, argc, argv); status != kGoOn) return status;
  std::string why;
  if (!choice.prepare(&why)) {
    complain(why);
    return kCtlUsage;
  }
  if (!choice.empty() && threads) {
    complain("--threads cannot be used with options that select statements");
    return kCtlUsage;
  }
  // A choice of statements implies that statements should be listed.
  const What what = statements || !choice.empty() ? What::kStatements
                    : threads                     ? What::kThreads
                                                  : What::kServices;
  Listing listing(what, options.json);
  bool all = true;
  for (const std::string& path : chosen_segments(options.services, &why)) {
    Listed listed;
    listed.image = SegmentImage::open_live(path, &why);
    if (listed.image != nullptr) {
      listed.status = read_status(*listed.image, path);
      listed.now_tsc = shm::read_tsc();
      if (listed.image->is_whole(path, &why)) listing.add(listed, choice, &why);
      // Statements are read while they are added.
      if (why.empty()) listed.image->is_whole(path, &why);
    }
    if (why.empty()) continue;
    complain(why);
    all = false;
    why.clear();
  }
  listing.print();
  if (!why.empty()) {
    complain(why);
    return kCtlNobody;
  }
  if (!all) return kCtlFailed;
  if (listing.rows() == 0) {
    complain(what == What::kServices ? no_such_service(options.services) : "nothing matches");
    return kCtlNobody;
  }
  return kCtlOk;
}

}  // namespace ringside::tool
