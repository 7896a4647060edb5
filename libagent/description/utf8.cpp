// Wide strings are recorded as UTF-8, so that readers do not need the service's locale.

#include <cstdint>

#include "libagent/include/ringside/abi.h"

namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

std::uint32_t sane(std::int32_t c) {
  const auto code = static_cast<std::uint32_t>(c);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code > 0x10FFFF || surrogate ? kReplacement : code;
}

std::uint32_t width(std::uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

unsigned char tail(std::uint32_t code, unsigned shift) {
  return static_cast<unsigned char>(0x80 | (code >> shift & 0x3F));
}

}  // namespace

std::uint32_t rs_utf8_bytes(const std::int32_t* text, std::int64_t limit) {
  constexpr std::int64_t kMost = UINT32_MAX - 4;
  const std::int64_t most = limit < 0 || limit > kMost ? kMost : limit;
  std::int64_t bytes = 0;
  // With a limit the text need not be terminated: no character is read after the limit is reached.
  while (bytes < most && *text != 0) {
    const std::uint32_t next = width(sane(*text++));
    if (bytes + next > most) break;
    bytes += next;
  }
  return static_cast<std::uint32_t>(bytes);
}

void rs_utf8_store(const std::int32_t* text, unsigned char* out, std::uint32_t bytes) {
  const unsigned char* const end = out + bytes;
  while (out < end) {
    const std::uint32_t code = sane(*text++);
    const std::uint32_t size = width(code);
    // the text has changed since it was measured
    if (size > static_cast<std::uint32_t>(end - out)) {
      while (out < end) *out++ = '?';
      return;
    }
    switch (size) {
      case 1:
        *out++ = static_cast<unsigned char>(code);
        break;
      case 2:
        *out++ = static_cast<unsigned char>(0xC0 | code >> 6);
        *out++ = tail(code, 0);
        break;
      case 3:
        *out++ = static_cast<unsigned char>(0xE0 | code >> 12);
        *out++ = tail(code, 6);
        *out++ = tail(code, 0);
        break;
      default:
        *out++ = static_cast<unsigned char>(0xF0 | code >> 18);
        *out++ = tail(code, 12);
        *out++ = tail(code, 6);
        *out++ = tail(code, 0);
    }
  }
}
