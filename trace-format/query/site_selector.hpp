// Selects the sites of a query.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/codec/site_table.hpp"

namespace ringside::trace::query {

// A value; copies share their parts and may be used by any number of threads. In a glob `*` matches
// any text, `?` one character, and `\` quotes the next character.
class SiteSelector {
 public:
  static SiteSelector all();
  static SiteSelector text(std::string_view part);       // of the format, verbatim
  static SiteSelector text_glob(std::string_view glob);  // the whole format
  static SiteSelector name(std::string_view glob);
  static SiteSelector category(std::string_view glob);
  // A path or the last parts of one ("store.cpp"); line 0: any.
  static SiteSelector file(std::string_view glob, std::uint32_t line = 0);
  static SiteSelector at_least(shm::Level level);

  friend SiteSelector operator&&(const SiteSelector& a, const SiteSelector& b);
  friend SiteSelector operator||(const SiteSelector& a, const SiteSelector& b);
  friend SiteSelector operator!(const SiteSelector& a);

  // Parses user input: a part of the format, the name of a site, or FILE:LINE, whichever matches;
  // or terms text:GLOB, name:GLOB, file:GLOB[:LINE], category:GLOB, joined by "&&". Empty with
  // `*why` if the input is empty.
  static std::optional<SiteSelector> parse(std::string_view words, std::string* why);

  bool matches(const Site& site) const { return (*test_)(site); }
  const std::string& description() const { return description_; }

 private:
  using Test = std::function<bool(const Site&)>;
  SiteSelector(std::string description, Test test)
      : test_(std::make_shared<const Test>(std::move(test))),
        description_(std::move(description)) {}

  std::shared_ptr<const Test> test_;
  std::string description_;
};

bool glob_matches(std::string_view glob, std::string_view text);

// `file.cpp:31 "the format"`, for messages.
std::string site_label(const Site& site);

}  // namespace ringside::trace::query
