#include "tools/ringview/packed_text.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <zlib.h>

namespace ringside::tool {
namespace {

// Fast: the data is sent once.
constexpr int kLevel = 2;
constexpr int kWindowBits = 15;
constexpr int kWithGzipHeader = 16;
constexpr int kMemoryLevel = 8;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string packed_as_gzip(std::string_view text) {
  z_stream stream{};
  if (text.size() > std::numeric_limits<uInt>::max() ||
      deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits + kWithGzipHeader, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  const uLong most = deflateBound(&stream, text.size());
  std::string packed(std::min<uLong>(most, std::numeric_limits<uInt>::max()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(is_whole ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed;
}

// RFC 9110, "Accept-Encoding": "gzip, br;q=0.5". The weight 0 refuses.
bool accepts_gzip(std::string_view accepted) {
  while (!accepted.empty()) {
    const std::size_t comma = std::min(accepted.find(','), accepted.size());
    const std::string_view one = accepted.substr(0, comma);
    accepted.remove_prefix(std::min(comma + 1, accepted.size()));
    const std::size_t semicolon = std::min(one.find(';'), one.size());
    if (trimmed(one.substr(0, semicolon)) != "gzip") continue;
    const std::string_view weight = trimmed(one.substr(std::min(semicolon + 1, one.size())));
    return weight.find_first_not_of("qQ=0. \t") != std::string_view::npos || weight.empty();
  }
  return false;
}

}  // namespace ringside::tool
