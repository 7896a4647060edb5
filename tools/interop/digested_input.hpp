#pragma once
// An input that computes its size and SHA-256 while it is read, for `ringcat inspect`.

#include <cstdint>
#include <memory>
#include <string>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool {

// Not thread-safe; `inner` must outlive this object, which is its only reader.
class DigestedInput {
 public:
  explicit DigestedInput(InputBytes& inner);
  ~DigestedInput();
  DigestedInput(const DigestedInput&) = delete;
  DigestedInput& operator=(const DigestedInput&) = delete;

  // The input for the reader of the format.
  InputBytes& bytes() { return *bytes_; }

  // Reads the rest of the input; from here on size() and sha256() cover the whole input.
  void finish();
  std::uint64_t size() const { return size_; }
  const std::string& sha256() const { return sha256_; }  // 64 lower-case hex digits

  // The part of `path` after its last slash.
  static std::string file_name(const std::string& path);

 private:
  struct Digest;
  std::unique_ptr<Digest> digest_;
  std::unique_ptr<InputBytes> bytes_;
  InputBytes& inner_;
  std::uint64_t size_ = 0;
  std::string sha256_;
};

}  // namespace ringside::tool
