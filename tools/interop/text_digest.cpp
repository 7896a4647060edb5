#include "tools/interop/text_digest.hpp"

#include <array>
#include <new>

#include <openssl/evp.h>

#include "trace-format/lines/hex_digits.hpp"

namespace ringside::tool {

struct TextDigest::State {
  State() : context(EVP_MD_CTX_new()) {
    if (context == nullptr || EVP_DigestInit_ex(context, EVP_sha256(), nullptr) != 1) {
      throw std::bad_alloc();
    }
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_MD_CTX* context;
  std::string pending;  // collects short pieces
};

namespace {

constexpr std::size_t kPendingBytes = std::size_t{32} << 10;

}  // namespace

TextDigest::TextDigest() : state_(std::make_unique<State>()) {}

TextDigest::~TextDigest() = default;

void TextDigest::put(std::string_view text) {
  std::string& pending = state_->pending;
  pending += text;
  if (pending.size() < kPendingBytes) return;
  EVP_DigestUpdate(state_->context, pending.data(), pending.size());
  pending.clear();
}

std::string TextDigest::finish() {
  EVP_DigestUpdate(state_->context, state_->pending.data(), state_->pending.size());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int count = 0;
  EVP_DigestFinal_ex(state_->context, digest.data(), &count);
  std::string text;
  for (unsigned int i = 0; i < count; ++i) {
    text += trace::kHexDigits[digest[i] >> 4U];
    text += trace::kHexDigits[digest[i] & 15U];
  }
  return text;
}

}  // namespace ringside::tool
