#include "trace-format/query/site_selector.hpp"

#include <charconv>
#include <utility>

namespace ringside::trace::query {
namespace {

constexpr std::string_view kAnd = "&&";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Removes ":LINE" and returns it; 0 if there is none.
std::uint32_t take_line(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return 0;
  std::uint32_t line = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data() + colon + 1, end, line);
  if (failure != std::errc() || at != end) return 0;
  text = text.substr(0, colon);
  return line;
}

bool path_matches(std::string_view glob, std::string_view path) {
  if (glob_matches(glob, path)) return true;
  for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    if (glob_matches(glob, path.substr(at + 1))) return true;
  }
  return false;
}

std::optional<SiteSelector> parse_term(std::string_view term) {
  const std::size_t colon = term.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = term.substr(0, colon);
  std::string_view value = term.substr(colon + 1);
  if (key == "text") return SiteSelector::text_glob(value);
  if (key == "name") return SiteSelector::name(value);
  if (key == "category") return SiteSelector::category(value);
  if (key == "file") {
    const std::uint32_t line = take_line(value);
    return SiteSelector::file(value, line);
  }
  return std::nullopt;
}

// Empty unless all parts are terms: "&&" may also be part of a format.
std::optional<SiteSelector> parse_terms(std::string_view words) {
  std::optional<SiteSelector> all;
  while (true) {
    const std::size_t end = words.find(kAnd);
    const std::optional<SiteSelector> term = parse_term(trimmed(words.substr(0, end)));
    if (!term) return std::nullopt;
    all = all ? *all && *term : *term;
    if (end == std::string_view::npos) return all;
    words.remove_prefix(end + kAnd.size());
  }
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_glob = 0;
  // The position to continue from if the text after the last '*' does not match: one character
  // later.
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  while (at < text.size()) {
    const bool left = in_glob < glob.size();
    if (left && glob[in_glob] == '*') {
      star = in_glob++;
      star_at = at;
      continue;
    }
    const bool escaped = left && glob[in_glob] == '\\' && in_glob + 1 < glob.size();
    if (left && (escaped ? glob[in_glob + 1] == text[at]
                         : glob[in_glob] == '?' || glob[in_glob] == text[at])) {
      in_glob += escaped ? 2 : 1;
      ++at;
      continue;
    }
    if (star == std::string_view::npos) return false;
    in_glob = star + 1;
    at = ++star_at;
  }
  while (in_glob < glob.size() && glob[in_glob] == '*') ++in_glob;
  return in_glob == glob.size();
}

std::string site_label(const Site& site) {
  std::string label = site.file + ":" + std::to_string(site.line);
  if (!site.name.empty()) label += " " + site.name;
  if (!site.format.empty()) label += " \"" + site.format + "\"";
  return label;
}

SiteSelector SiteSelector::all() {
  return {"all sites", [](const Site&) { return true; }};
}

SiteSelector SiteSelector::text(std::string_view part) {
  return {"text with \"" + std::string(part) + "\"", [part = std::string(part)](const Site& site) {
            return site.format.find(part) != std::string::npos;
          }};
}

SiteSelector SiteSelector::text_glob(std::string_view glob) {
  return {"text:" + std::string(glob),
          [glob = std::string(glob)](const Site& site) { return glob_matches(glob, site.format); }};
}

SiteSelector SiteSelector::name(std::string_view glob) {
  return {"name:" + std::string(glob),
          [glob = std::string(glob)](const Site& site) { return glob_matches(glob, site.name); }};
}

SiteSelector SiteSelector::category(std::string_view glob) {
  return {"category:" + std::string(glob), [glob = std::string(glob)](const Site& site) {
            return glob_matches(glob, site.category);
          }};
}

SiteSelector SiteSelector::file(std::string_view glob, std::uint32_t line) {
  std::string description = "file:" + std::string(glob);
  if (line != 0) description += ":" + std::to_string(line);
  return {std::move(description), [glob = std::string(glob), line](const Site& site) {
            return (line == 0 || site.line == line) && path_matches(glob, site.file);
          }};
}

SiteSelector SiteSelector::at_least(shm::Level level) {
  return {"level from " + std::string(shm::level_name(level)),
          [level](const Site& site) { return site.level >= level; }};
}

SiteSelector operator&&(const SiteSelector& a, const SiteSelector& b) {
  return {a.description_ + " && " + b.description_,
          [a, b](const Site& site) { return a.matches(site) && b.matches(site); }};
}

SiteSelector operator||(const SiteSelector& a, const SiteSelector& b) {
  return {"(" + a.description_ + " || " + b.description_ + ")",
          [a, b](const Site& site) { return a.matches(site) || b.matches(site); }};
}

SiteSelector operator!(const SiteSelector& a) {
  return {"!(" + a.description_ + ")", [a](const Site& site) { return !a.matches(site); }};
}

std::optional<SiteSelector> SiteSelector::parse(std::string_view words, std::string* why) {
  words = trimmed(words);
  if (words.empty()) {
    if (why != nullptr) *why = "an empty text chooses no site; text:* chooses all";
    return std::nullopt;
  }
  if (std::optional<SiteSelector> terms = parse_terms(words)) return terms;
  std::string_view path = words;
  const std::uint32_t line = take_line(path);
  const std::string whole(words);
  // The name is not a glob here, so that a format that contains '*' is not treated as one.
  const SiteSelector named("", [whole](const Site& site) { return site.name == whole; });
  SiteSelector any = text(words) || named;
  if (line != 0) any = any || file(path, line);
  any.description_ = "\"" + whole + "\"";
  return any;
}

}  // namespace ringside::trace::query
