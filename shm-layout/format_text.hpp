// The text of a format, as the parsers of formats take it.
#pragma once

#include <cstddef>

namespace ringside::shm {

// A view of a format. <string_view> would triple the time that the log macros' header takes to
// compile.
class FormatText {
 public:
  template <std::size_t kBytes>
  constexpr FormatText(const char (&literal)[kBytes])  // NOLINT(google-explicit-constructor)
      : begin_(literal), size_(kBytes - 1) {}
  template <class View, class = decltype(View().substr(0))>
  constexpr FormatText(const View& view)  // NOLINT(google-explicit-constructor)
      : begin_(view.data()), size_(view.size()) {}

  constexpr std::size_t size() const { return size_; }
  constexpr char operator[](std::size_t at) const { return begin_[at]; }

 private:
  const char* begin_;
  std::size_t size_ = 0;
};

}  // namespace ringside::shm
