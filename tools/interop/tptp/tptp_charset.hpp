#pragma once
// Converts texts of any character set to UTF-8, by iconv.

#include <memory>
#include <string>
#include <string_view>

namespace ringside::tool::tptp {

// Not thread-safe.
class Charset {
 public:
  // UTF-8.
  Charset();
  ~Charset();
  Charset(Charset&& other) noexcept;
  Charset& operator=(Charset&& other) noexcept;

  // Null with `*why` if iconv does not support it, or its texts cannot end at the first zero byte.
  static std::unique_ptr<Charset> open(std::string_view name, std::string* why);

  // Whether append() would append `text` unchanged.
  bool is_same(std::string_view text) const;
  // False: parts of the text are invalid in this character set, and became U+FFFD.
  bool append(std::string_view text, std::string& utf8);

 private:
  void* converter_ = nullptr;  // null: UTF-8
  bool has_ascii_ = true;      // printable ASCII has the same bytes
};

}  // namespace ringside::tool::tptp
