// The text of a format, as the parsers of formats take it.
#pragma once

#include <cstddef>

// clang evaluates it only at run time.
#if defined(__GNUC__) && !defined(__clang__)
#define RINGSIDE_BUILTIN_STRCSPN
#endif

namespace ringside::shm {

// A view of a format. <string_view> would triple the time that the log macros' header takes to
// compile.
class FormatText {
 public:
  template <std::size_t kBytes>
  constexpr FormatText(const char (&literal)[kBytes])  // NOLINT(google-explicit-constructor)
      : begin_(literal), size_(kBytes - 1), is_terminated_(true) {}
  template <class View, class = decltype(View().substr(0))>
  constexpr FormatText(const View& view)  // NOLINT(google-explicit-constructor)
      : begin_(view.data()), size_(view.size()) {}

  constexpr std::size_t size() const { return size_; }
  constexpr char operator[](std::size_t at) const { return begin_[at]; }
  // The first place from `at` on that has a percent sign (or a brace) or a NUL; size() if there is
  // none. Compilers evaluate this for each format of a program. The built-in function takes g++
  // less time than the loop, which it evaluates character by character.
  constexpr std::size_t find_percent(std::size_t at) const {
#ifdef RINGSIDE_BUILTIN_STRCSPN
    if (is_terminated_) return at + __builtin_strcspn(begin_ + at, "%");
#endif
    return find('%', '%', at);
  }
  constexpr std::size_t find_brace(std::size_t at) const {
#ifdef RINGSIDE_BUILTIN_STRCSPN
    if (is_terminated_) return at + __builtin_strcspn(begin_ + at, "{}");
#endif
    return find('{', '}', at);
  }

 private:
  constexpr std::size_t find(char c, char d, std::size_t at) const {
    const char* const text = begin_;
    for (const std::size_t size = size_; at < size; ++at) {
      const char found = text[at];
      if (found == c || found == d || found == '\0') break;
    }
    return at;
  }

  const char* begin_;
  std::size_t size_ = 0;
  [[maybe_unused]] bool is_terminated_ = false;
};

}  // namespace ringside::shm
