// Parses a printf format at compile time, for tracers with another format language: the argument of
// each conversion, and the same text with {fmt}'s braces.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ringside::perf {

struct Placeholder {
  std::size_t argument = 0;    // index of the value; "%.*s" also takes the argument before it
  bool is_cut_string = false;  // "%.*s"
};

// Thrown at compile time only, where it becomes a compiler error.
struct UnsupportedConversion {};

// The subset of printf that kvd's statements use.
struct Conversion {
  std::string_view flags_and_width;
  std::string_view precision;  // including its point
  char letter = 0;
  std::size_t length = 0;  // number of characters after '%'
};

constexpr Conversion read_conversion(std::string_view text) {
  Conversion conversion;
  std::size_t at = 0;
  const auto digits = [&] {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  };
  digits();
  conversion.flags_and_width = text.substr(0, at);
  if (at < text.size() && text[at] == '.') {
    const std::size_t point = at++;
    if (at < text.size() && text[at] == '*') {
      ++at;
    } else {
      digits();
    }
    conversion.precision = text.substr(point, at - point);
  }
  while (at < text.size() && std::string_view("hlzjt").find(text[at]) != std::string_view::npos) {
    ++at;
  }
  if (at == text.size() || std::string_view("diuxfs%").find(text[at]) == std::string_view::npos) {
    throw UnsupportedConversion{};
  }
  conversion.letter = text[at];
  conversion.length = at + 1;
  if (conversion.precision == ".*" && conversion.letter != 's') throw UnsupportedConversion{};
  return conversion;
}

// Source::text() is the format.
template <class Source>
class PrintfFormat {
  static constexpr std::string_view kFormat = Source::text();

  template <class Visit>
  static constexpr void visit_conversions(Visit&& visit) {
    for (std::size_t at = 0; at < kFormat.size(); ++at) {
      if (kFormat[at] != '%') continue;
      const Conversion conversion = read_conversion(kFormat.substr(at + 1));
      visit(at, conversion);
      at += conversion.length;
    }
  }

  static constexpr std::size_t count() {
    std::size_t n = 0;
    visit_conversions([&](std::size_t, const Conversion& c) { n += c.letter != '%' ? 1 : 0; });
    return n;
  }

  static constexpr auto find_placeholders() {
    std::array<Placeholder, count()> found{};
    std::size_t n = 0;
    std::size_t argument = 0;
    visit_conversions([&](std::size_t, const Conversion& c) {
      if (c.letter == '%') return;
      const bool cut = c.precision == ".*";
      argument += cut ? 1 : 0;
      found[n++] = {argument++, cut};
    });
    return found;
  }

  static constexpr auto kPlaceholders = find_placeholders();

  // Writes nothing if `out` is null. Returns the characters needed.
  static constexpr std::size_t write_braces(char* out) {
    std::size_t size = 0;
    const auto put = [&](std::string_view text) {
      for (const char c : text) {
        if (out != nullptr) out[size] = c;
        ++size;
      }
    };
    std::size_t done = 0;
    visit_conversions([&](std::size_t at, const Conversion& c) {
      put(kFormat.substr(done, at - done));
      done = at + 1 + c.length;
      if (c.letter == '%') return put("%");
      const bool cut = c.precision == ".*";
      const bool has_letter = c.letter == 'x' || c.letter == 'f';
      put("{");
      if (!c.flags_and_width.empty() || (!c.precision.empty() && !cut) || has_letter) put(":");
      put(c.flags_and_width);
      if (!cut) put(c.precision);
      if (has_letter) put(c.letter == 'x' ? "x" : "f");
      put("}");
    });
    put(kFormat.substr(done));
    return size;
  }

  static constexpr auto make_braces() {
    std::array<char, write_braces(nullptr)> text{};
    write_braces(text.data());
    return text;
  }

  static constexpr auto kBraces = make_braces();

  template <std::size_t I, class Tuple>
  static auto value(const Tuple& arguments) {
    constexpr Placeholder kPlaceholder = kPlaceholders[I];
    if constexpr (kPlaceholder.is_cut_string) {
      return std::string_view(
          std::get<kPlaceholder.argument>(arguments),
          static_cast<std::size_t>(std::get<kPlaceholder.argument - 1>(arguments)));
    } else {
      return std::get<kPlaceholder.argument>(arguments);
    }
  }

 public:
  // "%u of %.*s" is "{} of {}".
  static constexpr std::string_view braces() { return {kBraces.data(), kBraces.size()}; }

  // Calls sink(values...) with one value per conversion; "%.*s" and its two arguments become a
  // std::string_view. Arguments are passed by value because they are all small.
  template <class Sink, class... Arguments>
  static void with_values(Sink&& sink, Arguments... arguments) {
    const std::tuple<Arguments...> all(arguments...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      sink(value<I>(all)...);
    }
    (std::make_index_sequence<kPlaceholders.size()>());
  }
};

}  // namespace ringside::perf
