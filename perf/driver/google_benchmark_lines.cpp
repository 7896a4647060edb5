#include "perf/driver/google_benchmark_lines.hpp"

#include <algorithm>
#include <map>

#include "perf/harness/messages.hpp"
#include "perf/harness/spread.hpp"

namespace ringside::perf {
namespace {

using nlohmann::json;

// The results of one benchmark, by repetition.
struct Repeated {
  std::vector<double> ns;
  std::vector<double> bytes;
};

Result line_of(const char* row, std::string_view message, const char* metric, const char* unit,
               const Spread& spread) {
  return {
      {"row", row},          {"subject", "ringside"},    {"case", message},   {"metric", metric},
      {"unit", unit},        {"median", spread.median},  {"low", spread.low}, {"high", spread.high},
      {"best", spread.best}, {"repeats", spread.repeats}};
}

double ns_of(const json& benchmark) {
  // Per record if the benchmark reports it, otherwise per iteration.
  if (const auto counter = benchmark.find("ns"); counter != benchmark.end()) {
    return counter->get<double>();
  }
  return benchmark.at("cpu_time").get<double>();
}

// "encode/message:3/random:1" -> 3, 1; -1 if the name does not contain the key.
int argument_of(const std::string& name, const char* key) {
  const std::size_t at = name.find(key);
  return at == std::string::npos ? -1 : std::atoi(name.c_str() + at + std::string_view(key).size());
}

void add_codec(const std::string& name, const Repeated& measured, const Repeated& floor,
               std::vector<Result>& lines) {
  const char* row = name.starts_with("encode") ? "encoder" : "decoder";
  const int message = argument_of(name, "message:");
  if (message < 0 || static_cast<std::size_t>(message) >= kCases.size()) return;
  const char* const which = name_of(kCases[static_cast<std::size_t>(message)]);
  const char* const arguments = argument_of(name, "random:") == 1 ? "random" : "constant";
  const auto add = [&](const char* metric, const char* unit, const Spread& spread) {
    lines.push_back(line_of(row, which, metric, unit, spread));
    lines.back()["arguments"] = arguments;
    if (name.starts_with("decode")) {
      lines.back()["by"] = name.starts_with("decode_extent/") ? "extent" : "record";
    }
  };
  std::vector<double> ratios;
  std::vector<double> rates;
  std::vector<double> floor_rates;
  for (std::size_t i = 0; i < std::min(measured.ns.size(), floor.ns.size()); ++i) {
    ratios.push_back(floor.ns[i] / measured.ns[i]);
    rates.push_back(1e3 / measured.ns[i]);
    floor_rates.push_back(1e3 / floor.ns[i]);
  }
  const Spread rate = spread_of(rates, Better::higher);
  const Spread floor_rate = spread_of(floor_rates, Better::higher);
  if (!ratios.empty()) {
    Spread ratio = spread_of(ratios, Better::higher);
    ratio.best = rate.best / floor_rate.best;
    add("ratio_to_floor", "x", ratio);
    add("rate", "M/s", rate);
  }
  add("record", "ns", spread_of(measured.ns));
  if (!measured.bytes.empty()) add("block", "bytes", spread_of(measured.bytes));
}

}  // namespace

bool read_google_benchmark(const std::string& output, std::vector<Result>& lines,
                           std::string* why) {
  std::map<std::string, Repeated> repeated;
  try {
    const json document = json::parse(output);
    for (const json& benchmark : document.at("benchmarks")) {
      if (benchmark.value("run_type", "") != "iteration") continue;
      if (benchmark.value("error_occurred", false)) {
        *why = benchmark.at("name").get<std::string>() + ": " +
               benchmark.value("error_message", "failed");
        return false;
      }
      const auto name = benchmark.at("run_name").get<std::string>();
      Repeated& one = repeated[name];
      one.ns.push_back(ns_of(benchmark));
      if (benchmark.contains("bytes")) one.bytes.push_back(benchmark.at("bytes").get<double>());
    }
  } catch (const json::exception& error) {
    *why = std::string("not Google Benchmark's output: ") + error.what();
    return false;
  }
  const Repeated floor = repeated["floor"];
  for (const auto& [name, measured] : repeated) {
    if (name.starts_with("encode/") || name.starts_with("decode")) {
      add_codec(name, measured, floor, lines);
    } else if (name.starts_with("aggregate/")) {
      lines.push_back(line_of("aggregation", name.substr(name.find('/') + 1), "record", "ns",
                              spread_of(measured.ns)));
    } else if (name != "floor") {
      lines.push_back(line_of("text", name, "message_alone", "ns", spread_of(measured.ns)));
    }
  }
  return true;
}

}  // namespace ringside::perf
