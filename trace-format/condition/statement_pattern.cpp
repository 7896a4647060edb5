#include "trace-format/condition/statement_pattern.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/level_name.hpp"

namespace ringside::trace {
namespace {

bool parse_mask(std::string_view text, std::uint64_t* mask) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *mask, base);
  return error == std::errc() && at == end && *mask != 0;
}

std::string place_of(const StatementView& statement) {
  return fmt::format("{}:{}", without_folders(statement.file), statement.line);
}

}  // namespace

StatementView StatementView::of(const Site& site) {
  return {site.level,    site.line,   site.keywords, site.name,
          site.category, site.format, site.file,     site.function};
}

std::string_view without_folders(std::string_view file) {
  return file.substr(file.rfind('/') + 1);
}

bool site_glob_fits(const std::string& glob, const StatementView& statement) {
  if (glob.empty()) return false;
  const bool is_plain = glob.find_first_of("*?[") == std::string::npos;
  if (is_plain && statement.format.find(glob) != std::string_view::npos) {
    return true;
  }
  return any_glob_fits({glob}, {statement.name, statement.format, statement.file,
                                fmt::format("{}:{}", statement.file, statement.line),
                                without_folders(statement.file), place_of(statement)});
}

bool StatementPattern::prepare(std::string* why, const StatementPatternNames& names) {
  keyword_mask_ = 0;
  for (const std::string& text : keywords) {
    std::uint64_t mask = 0;
    if (!parse_mask(text, &mask)) {
      *why = fmt::format("{} {}: invalid set of bits; use a number of at least 1, such as 0x10",
                         names.keyword, text);
      return false;
    }
    keyword_mask_ |= mask;
  }
  least_level_ = shm::Level::kNone;
  if (!level.empty()) {
    std::string_view name(level);
    level_and_above_ = name.ends_with('+');
    if (level_and_above_) name.remove_suffix(1);
    const auto found = level_of_name(name);
    if (!found) {
      *why = fmt::format(
          "{} {}: invalid level; use one of {}, in upper or lower case, optionally followed by +",
          names.level, level, level_names());
      return false;
    }
    least_level_ = *found;
  }
  if (!regex.empty() && !expression_.parse(regex, why)) {
    *why = fmt::format("{} {}: {}", names.regex, regex, *why);
    return false;
  }
  return true;
}

bool StatementPattern::empty() const {
  return sites.empty() && files.empty() && functions.empty() && categories.empty() &&
         keywords.empty() && level.empty() && regex.empty();
}

bool StatementPattern::fits(const StatementView& statement) const {
  const auto is_site = [&](const std::string& glob) { return site_glob_fits(glob, statement); };
  if (!sites.empty() && std::none_of(sites.begin(), sites.end(), is_site)) return false;
  if (!files.empty() && !any_glob_fits(files, {statement.file, without_folders(statement.file)})) {
    return false;
  }
  if (!functions.empty() && !any_glob_fits(functions, {statement.function})) return false;
  if (!categories.empty() && !any_glob_fits(categories, {statement.category})) return false;
  if (keyword_mask_ != 0 && (keyword_mask_ & statement.keywords) == 0) return false;
  if (least_level_ != shm::Level::kNone &&
      (level_and_above_ ? statement.level < least_level_ : statement.level != least_level_)) {
    return false;
  }
  if (regex.empty()) return true;
  return expression_.matches(statement.format) || expression_.matches(statement.name) ||
         expression_.matches(place_of(statement)) || expression_.matches(statement.function);
}

}  // namespace ringside::trace
