#pragma once
// What is to become of records between a ring and the disk: rules of the configuration file.

#include <cstdint>
#include <string>
#include <vector>

#include "trace-format/condition/statement_pattern.hpp"

namespace ringside::consumer {

// Some records of a statement are enough. Of those rules that fit a statement the first counts.
struct SampleRule {
  std::vector<std::string> services;  // globs; empty: all
  trace::StatementPattern statements;
  std::uint64_t one_in = 0;      // keeps the first of so many; 0: see below
  std::uint64_t per_second = 0;  // keeps the first so many of each second; 0: as many as there are
};

// Values that must not be stored. All rules that fit a statement count.
struct RedactionRule {
  std::vector<std::string> services;  // globs; empty: all
  trace::StatementPattern statements;
  std::vector<std::string> fields;  // globs of their names, or of what one would call them
  std::string text = "***";         // in place of a text or bytes; numbers become 0, arrays empty
};

struct RecordRules {
  std::vector<SampleRule> samples;
  std::vector<RedactionRule> redactions;
};

inline constexpr std::size_t kMostRedactionText = 64;

}  // namespace ringside::consumer
