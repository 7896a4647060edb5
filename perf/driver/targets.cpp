#include "perf/driver/targets.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ringside::perf {
namespace {

constexpr bool kAtMost = true;
constexpr bool kAtLeast = false;

constexpr std::array kTargets{
    // A back-to-back log call, consumerd with default settings on another core.
    Target{"back_to_back", "static", "", "", "ratio_to_floor", kAtMost, 1.10},
    Target{"back_to_back", "integer", "", "", "ratio_to_floor", kAtMost, 1.10},
    Target{"back_to_back", "two_integers", "", "", "ratio_to_floor", kAtMost, 1.10},
    Target{"back_to_back", "double", "", "", "ratio_to_floor", kAtMost, 1.10},
    Target{"back_to_back", "five_arguments", "", "", "ratio_to_floor", kAtMost, 1.25},
    Target{"back_to_back", "string39", "", "", "ratio_to_floor", kAtMost, 1.40},
    // A span that ends at once: two readings of the clock and one record.
    Target{"spans", "", "", "", "ratio_to_floor", kAtMost, 2.2},
    // One call per 600 ns, against the same percentile of the floor.
    Target{"paced", "", "p", "p50", "ratio_to_floor", kAtMost, 1.1},
    Target{"paced", "", "p", "p99", "ratio_to_floor", kAtMost, 1.1},
    Target{"paced", "", "p", "p99.9", "ratio_to_floor", kAtMost, 1.2},
    // One producer to a file, without drops, against the floor's rate.
    Target{"sustained", "static", "", "", "ratio_to_floor", kAtLeast, 0.9},
    Target{"sustained", "integer", "", "", "ratio_to_floor", kAtLeast, 0.9},
    Target{"sustained", "two_integers", "", "", "ratio_to_floor", kAtLeast, 0.9},
    Target{"sustained", "double", "", "", "ratio_to_floor", kAtLeast, 0.9},
    Target{"sustained", "five_arguments", "", "", "ratio_to_floor", kAtLeast, 0.75},
    Target{"sustained", "string39", "", "", "ratio_to_floor", kAtLeast, 0.5},
    Target{"sustained", "all", "", "", "lost", kAtMost, 0},
    // The encoder alone on one core, against the floor's rate.
    Target{"encoder", "", "", "", "ratio_to_floor", kAtLeast, 2},
    // Constant arguments; NanoLog takes 3.1, 43.2, 5.1, 10.1, 12.1, 19.0.
    Target{"bytes_per_record", "static", "arguments", "constant", "file", kAtMost, 2.1},
    Target{"bytes_per_record", "string39", "arguments", "constant", "file", kAtMost, 4},
    Target{"bytes_per_record", "integer", "arguments", "constant", "file", kAtMost, 2.6},
    Target{"bytes_per_record", "two_integers", "arguments", "constant", "file", kAtMost, 3.6},
    Target{"bytes_per_record", "double", "arguments", "constant", "file", kAtMost, 3},
    Target{"bytes_per_record", "five_arguments", "arguments", "constant", "file", kAtMost, 6},
    // Random arguments of similar magnitude: NanoLog's size, less 0.9.
    Target{"bytes_per_record", "static", "arguments", "random", "file", kAtMost, 2.2},
    Target{"bytes_per_record", "string39", "arguments", "random", "file", kAtMost, 42.3},
    Target{"bytes_per_record", "integer", "arguments", "random", "file", kAtMost, 4.2},
    Target{"bytes_per_record", "two_integers", "arguments", "random", "file", kAtMost, 9.2},
    Target{"bytes_per_record", "double", "arguments", "random", "file", kAtMost, 11.2},
    Target{"bytes_per_record", "five_arguments", "arguments", "random", "file", kAtMost, 18.1},
    // Order book and HTTP messages with random values.
    Target{"mix_bytes", "mix", "", "", "live", kAtMost, 10},
    Target{"mix_bytes", "mix", "", "", "packed", kAtMost, 6.5},
    // Text, one core.
    Target{"text", "static", "", "", "one_core", kAtLeast, 15},
    Target{"text", "five_arguments", "", "", "one_core", kAtLeast, 5},
    // Text by the default number of threads, against one.
    Target{"text_threads", "static", "streams", "1", "rate_to_one_thread", kAtLeast, 1.7},
    Target{"text_threads", "static", "streams", "64", "rate_to_one_thread", kAtLeast, 1.7},
    Target{"aggregation", "", "", "", "record", kAtMost, 5},
    // Parts of a trace: its last lines, a literal on one core; and the order of time.
    Target{"tail", "", "", "", "command", kAtMost, 20},
    Target{"grep", "", "", "", "one_core", kAtLeast, 50},
    Target{"ordered", "", "streams", "4096", "ratio_to_file_order", kAtMost, 2},
    // Without a clock read: messages with at most two numeric arguments.
    Target{"consumer_clock", "static", "", "", "call", kAtMost, 3},
    Target{"consumer_clock", "integer", "", "", "call", kAtMost, 3},
    Target{"consumer_clock", "two_integers", "", "", "call", kAtMost, 3},
    Target{"consumer_clock", "double", "", "", "call", kAtMost, 3},
    Target{"shared_stamp", "static", "", "", "call", kAtMost, 2.5},
    Target{"shared_stamp", "integer", "", "", "call", kAtMost, 2.5},
    Target{"shared_stamp", "two_integers", "", "", "call", kAtMost, 2.5},
    Target{"shared_stamp", "double", "", "", "call", kAtMost, 2.5},
    // The consumer while nothing is logged.
    Target{"poll_round", "", "rings", "1024", "round", kAtMost, 10'000},
    Target{"idle", "", "rings", "64", "consumerd", kAtMost, 0.1},
    Target{"idle", "", "rings", "64", "wake_ups", kAtMost, 20},
    // While someone follows.
    Target{"followed", "", "p", "p50", "call_to_line", kAtMost, 5},
    Target{"followed", "", "p", "p99", "call_to_line", kAtMost, 10},
};

std::string as_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

bool Target::fits(const Result& line) const {
  if (text_of(line, "subject") != "ringside" || text_of(line, "row") != row ||
      text_of(line, "metric") != metric) {
    return false;
  }
  if (!message.empty() && text_of(line, "case") != message) return false;
  if (key.empty()) return true;
  const auto found = line.find(std::string(key));
  return found != line.end() && as_text(*found) == value;
}

std::span<const Target> targets() {
  return kTargets;
}

void compare_with_targets(std::vector<Result>& lines) {
  for (Result& line : lines) {
    const auto target = std::find_if(kTargets.begin(), kTargets.end(),
                                     [&line](const Target& t) { return t.fits(line); });
    if (target == kTargets.end()) continue;
    line["target"] = {{target->at_most ? "at_most" : "at_least", target->bound},
                      {"met", target->met_by(line.at("median").get<double>())}};
  }
}

std::vector<std::string> unmeasured_targets(const std::vector<Result>& lines) {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    const bool measured = std::any_of(lines.begin(), lines.end(),
                                      [&target](const Result& line) { return target.fits(line); });
    if (measured) continue;
    names.push_back(fmt::format(
        "{}{}{}{}{}{} {} {}", target.row, target.message.empty() ? "" : " ", target.message,
        target.key.empty() ? "" : " ", target.key.empty() ? "" : target.value,
        ": " + std::string(target.metric), target.at_most ? "at most" : "at least", target.bound));
  }
  return names;
}

}  // namespace ringside::perf
