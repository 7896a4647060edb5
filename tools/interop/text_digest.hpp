#pragma once
// SHA-256 of a text that comes in pieces.

#include <memory>
#include <string>
#include <string_view>

namespace ringside::tool {

class TextDigest {
 public:
  TextDigest();
  ~TextDigest();
  TextDigest(const TextDigest&) = delete;
  TextDigest& operator=(const TextDigest&) = delete;

  void put(std::string_view text);
  // 64 lower-case hexadecimal digits. No text may be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringside::tool
