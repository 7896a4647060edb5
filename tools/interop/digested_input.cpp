#include "tools/interop/digested_input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <openssl/evp.h>

#include "trace-format/lines/hex_digits.hpp"

namespace ringside::tool {

struct DigestedInput::Digest {
  Digest() : context(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context, EVP_sha256(), nullptr); }
  ~Digest() { EVP_MD_CTX_free(context); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  EVP_MD_CTX* context;
};

DigestedInput::DigestedInput(InputBytes& inner)
    : digest_(std::make_unique<Digest>()), inner_(inner) {
  bytes_ = InputBytes::of(inner.name(), [this](std::span<std::byte> room) -> std::ptrdiff_t {
    const std::span<const std::byte> there = inner_.peek(1);
    const std::size_t count = std::min(there.size(), room.size());
    if (count == 0) return 0;
    std::memcpy(room.data(), there.data(), count);
    EVP_DigestUpdate(digest_->context, there.data(), count);
    inner_.skip(count);
    size_ += count;
    return static_cast<std::ptrdiff_t>(count);
  });
}

DigestedInput::~DigestedInput() = default;

void DigestedInput::finish() {
  while (!bytes_->at_end()) bytes_->skip(bytes_->peek(1).size());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int count = 0;
  EVP_DigestFinal_ex(digest_->context, digest.data(), &count);
  sha256_.clear();
  for (unsigned int i = 0; i < count; ++i) {
    sha256_ += trace::kHexDigits[digest[i] >> 4U];
    sha256_ += trace::kHexDigits[digest[i] & 15U];
  }
}

std::string DigestedInput::file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace ringside::tool
