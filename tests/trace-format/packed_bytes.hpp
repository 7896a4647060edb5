// Packs bytes in the Zstandard seekable format, in frames of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <zstd.h>

#include "decoded_record.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace::testing {

enum class SeekTable { kNone, kSound };

inline void append_u32(Bytes& bytes, std::uint32_t value) {
  bytes.resize(bytes.size() + 4);
  store(bytes.data() + bytes.size() - 4, value);
}

inline Bytes packed(std::span<const std::byte> content, std::size_t frame_bytes,
                    SeekTable seek_table = SeekTable::kSound) {
  Bytes result;
  Bytes entries;
  std::uint32_t frames = 0;
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  for (std::size_t at = 0; at < content.size(); at += frame_bytes, ++frames) {
    const auto part = content.subspan(at, std::min(frame_bytes, content.size() - at));
    Bytes out(ZSTD_compressBound(part.size()));
    const std::size_t got =
        ZSTD_compress2(context, out.data(), out.size(), part.data(), part.size());
    if (ZSTD_isError(got) != 0) throw std::runtime_error(ZSTD_getErrorName(got));
    result.insert(result.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got));
    append_u32(entries, static_cast<std::uint32_t>(got));
    append_u32(entries, static_cast<std::uint32_t>(part.size()));
  }
  ZSTD_freeCCtx(context);
  if (seek_table == SeekTable::kNone) return result;
  append_u32(result, 0x184D2A5E);
  append_u32(result, static_cast<std::uint32_t>(entries.size() + 9));
  result.insert(result.end(), entries.begin(), entries.end());
  append_u32(result, frames);
  result.push_back(std::byte{0});
  append_u32(result, 0x8F92EAB1);
  return result;
}

}  // namespace ringside::trace::testing
