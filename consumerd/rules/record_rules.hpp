#pragma once
// What happens to records between a ring and the disk: rules of the configuration file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace-format/condition/statement_pattern.hpp"

namespace ringside::consumer {

// Keeps only some records of a statement. The first rule that matches a statement applies.
struct SampleRule {
  std::vector<std::string> services;  // globs; empty: all
  trace::StatementPattern statements;
  std::uint64_t one_in = 0;      // keeps the first of every N; 0: see below
  std::uint64_t per_second = 0;  // keeps the first N of each second; 0: no limit
};

// Values that must not be stored. All rules that match a statement apply.
struct RedactionRule {
  std::string place;                  // "FILE:LINE" of the configuration file
  std::vector<std::string> services;  // globs; empty: all
  trace::StatementPattern statements;
  std::vector<std::string> fields;  // globs; redacted_name.hpp describes what they match
  std::string text = "***";         // replaces a text or bytes; numbers become 0, arrays empty
};

struct RecordRules {
  std::vector<SampleRule> samples;
  std::vector<RedactionRule> redactions;
};

inline constexpr std::size_t kMostRedactionText = 64;
// The trace states this many rules; more have their effects all the same.
inline constexpr std::size_t kMostStatedRules = 10'000;

}  // namespace ringside::consumer
