#pragma once
// Selects statements of a service.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shm-layout/level.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/condition/regular_expression.hpp"

namespace ringside::trace {

// The parts of a statement that a pattern reads; refers to its source.
struct StatementView {
  shm::Level level = shm::Level::kNone;
  std::uint32_t line = 0;
  std::uint64_t keywords = 0;
  std::string_view name;
  std::string_view category;
  std::string_view format;
  std::string_view file;
  std::string_view function;

  static StatementView of(const Site& site);
};

// "order.cpp" of "src/order.cpp".
std::string_view without_folders(std::string_view file);

// As --site of the tools: a glob of name, format, file or FILE:LINE, the file with or without
// folders; without * ? [ a part of the format is enough.
bool site_glob_fits(const std::string& glob, const StatementView& statement);

// The names of a pattern's parts where users write them, for messages.
struct StatementPatternNames {
  std::string_view keyword = "keyword";
  std::string_view level = "level";
  std::string_view regex = "regex";
};

// Filled in and prepared once, then read by any number of threads. All given parts must match; of
// several globs or masks of one part one must match.
class StatementPattern {
 public:
  std::vector<std::string> sites;  // see site_glob_fits()
  std::vector<std::string> files;  // with or without folders
  std::vector<std::string> functions;
  std::vector<std::string> categories;
  std::vector<std::string> keywords;  // masks such as "0x10"; any of their bits
  std::string level;  // "warning": this level; "warning+": this and more severe ones
  std::string regex;  // RE2, searched in format, name, place and function

  // Call before fits(), whenever a part has changed. Returns false with `*why` if one is invalid.
  bool prepare(std::string* why, const StatementPatternNames& names = {});

  // Whether the pattern selects all statements.
  bool empty() const;

  bool fits(const StatementView& statement) const;
  bool fits(const Site& site) const { return fits(StatementView::of(site)); }

 private:
  std::uint64_t keyword_mask_ = 0;
  shm::Level least_level_ = shm::Level::kNone;
  bool level_and_above_ = false;
  RegularExpression expression_;
};

}  // namespace ringside::trace
