#pragma once
// An input whose size and SHA-256 are known once it is read, as `ringcat inspect` tells them.

#include <cstdint>
#include <memory>
#include <string>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool {

// Not thread-safe; `inner` must outlive it, and is not read by anybody else.
class DigestedInput {
 public:
  explicit DigestedInput(InputBytes& inner);
  ~DigestedInput();
  DigestedInput(const DigestedInput&) = delete;
  DigestedInput& operator=(const DigestedInput&) = delete;

  // What a reader of the format reads.
  InputBytes& bytes() { return *bytes_; }

  // Reads what nobody has read; size() and sha256() are those of the whole input from here on.
  void finish();
  std::uint64_t size() const { return size_; }
  const std::string& sha256() const { return sha256_; }  // 64 lower-case hex digits

  // Of a path: what stands behind its last slash.
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
