#pragma once
// The results of the measuring programs, as the driver passes them on.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside::perf {

// One result line: row, subject, case, metric, unit, median, low, high, best, repeats, and further
// keys that distinguish the results of one row (perf/README.md).
using Result = nlohmann::json;

struct NotMeasured {
  std::vector<std::string> rows;
  std::string subject;  // empty: several
  std::string reason;
};

struct Results {
  std::vector<Result> lines;
  std::vector<NotMeasured> not_measured;
};

// Keys that every line has; all others distinguish results or describe the circumstances.
inline bool is_common_key(const std::string& key) {
  for (const char* common : {"row", "subject", "case", "metric", "unit", "median", "low", "high",
                             "best", "repeats", "target"}) {
    if (key == common) return true;
  }
  return false;
}

inline std::string text_of(const Result& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace ringside::perf
