#include "trace-format/packing/column_compressor.hpp"

#include <algorithm>
#include <cstdint>
#include <zstd.h>

namespace ringside::trace {
namespace {

// A block has three bytes of head, and tables; parts shorter than this share a block.
constexpr std::size_t kLeastBlock = 1024;

bool set(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  return ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0;
}

}  // namespace

ColumnCompressor::ColumnCompressor(int level) : context_(ZSTD_createCCtx()) {
  level = std::clamp(level, ZSTD_minCLevel(), ZSTD_maxCLevel());
  if (context_ == nullptr) return;
  if (!set(context_, ZSTD_c_compressionLevel, level) || !set(context_, ZSTD_c_checksumFlag, 1) ||
      !set(context_, ZSTD_c_contentSizeFlag, 1)) {
    ZSTD_freeCCtx(context_);
    context_ = nullptr;
  }
}

ColumnCompressor::~ColumnCompressor() {
  ZSTD_freeCCtx(context_);
}

std::span<const std::byte> ColumnCompressor::compress(std::span<const std::byte> bytes,
                                                      std::span<const std::size_t> cuts) {
  if (context_ == nullptr) return {};
  constexpr std::size_t kMostBlockHead = 8;
  frame_.resize(ZSTD_compressBound(bytes.size()) +
                kMostBlockHead * (bytes.size() / kLeastBlock + 1));
  if (ZSTD_isError(ZSTD_CCtx_reset(context_, ZSTD_reset_session_only)) != 0 ||
      ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context_, bytes.size())) != 0) {
    return {};
  }
  ZSTD_outBuffer out{frame_.data(), frame_.size(), 0};
  std::size_t from = 0;
  const auto put = [&](std::size_t to, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data() + from, to - from, 0};
    from = to;
    std::size_t left = 0;
    do {
      left = ZSTD_compressStream2(context_, &out, &in, directive);
      if (ZSTD_isError(left) != 0) return false;
    } while (left != 0 && out.pos < out.size);
    return left == 0 && in.pos == in.size;
  };
  for (const std::size_t cut : cuts) {
    if (cut < from + kLeastBlock || bytes.size() - cut < kLeastBlock) continue;
    if (!put(cut, ZSTD_e_flush)) return {};
  }
  if (!put(bytes.size(), ZSTD_e_end)) return {};
  return std::span<const std::byte>(frame_).first(out.pos);
}

std::size_t ColumnCompressor::size_of(const ColumnWriter& columns) {
  const auto frame = compress(columns.bytes(), columns.cuts());
  return frame.empty() ? SIZE_MAX : frame.size();
}

}  // namespace ringside::trace
