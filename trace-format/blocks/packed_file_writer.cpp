#include "trace-format/blocks/packed_file_writer.hpp"

#include <algorithm>
#include <utility>
#include <zstd.h>

#include "trace-format/blocks/frame_table.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/seek_table.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kEntryBytes = 8;

}  // namespace

struct PackedFileWriter::Compressor {
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }

  ZSTD_CCtx* context = ZSTD_createCCtx();
};

PackedFileWriter::PackedFileWriter(Sink sink, std::unique_ptr<Compressor> compressor)
    : sink_(std::move(sink)), compressor_(std::move(compressor)) {
  content_.reserve(kUsualFrameContent);
  packed_.resize(ZSTD_compressBound(kUsualFrameContent));
}

PackedFileWriter::~PackedFileWriter() = default;

std::unique_ptr<PackedFileWriter> PackedFileWriter::create(Sink sink, int level) {
  auto compressor = std::make_unique<Compressor>();
  ZSTD_CCtx* const context = compressor->context;
  if (context == nullptr) return nullptr;
  level = std::clamp(level, ZSTD_minCLevel(), ZSTD_maxCLevel());
  if (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) != 0 ||
      ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)) != 0 ||
      ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)) != 0) {
    return nullptr;
  }
  return std::unique_ptr<PackedFileWriter>(
      new PackedFileWriter(std::move(sink), std::move(compressor)));
}

bool PackedFileWriter::append(std::span<const std::byte> content) {
  while (!content.empty()) {
    if (content_.empty() && content.size() >= kUsualFrameContent) {
      if (!write_frame(content.first(kUsualFrameContent))) return false;
      content = content.subspan(kUsualFrameContent);
      continue;
    }
    const std::size_t bytes = std::min(kUsualFrameContent - content_.size(), content.size());
    content_.insert(content_.end(), content.begin(),
                    content.begin() + static_cast<std::ptrdiff_t>(bytes));
    content = content.subspan(bytes);
    if (content_.size() < kUsualFrameContent) continue;
    if (!write_frame(content_)) return false;
    content_.clear();
  }
  return true;
}

bool PackedFileWriter::finish() {
  // An empty file gets a frame too: without one it would not be a valid zstd file.
  if ((!content_.empty() || frames_.empty()) && !write_frame(content_)) return false;
  const std::size_t payload = frames_.size() * kEntryBytes + kSeekFooterBytes;
  if (payload > UINT32_MAX) return false;
  std::vector<std::byte> table(kSkippableHeaderBytes + payload);
  std::byte* p = table.data();
  store(p, kSeekTableMagic);
  store(p + 4, static_cast<std::uint32_t>(payload));
  p += kSkippableHeaderBytes;
  for (const Frame& frame : frames_) {
    store(p, frame.packed_bytes);
    store(p + 4, frame.content_bytes);
    p += kEntryBytes;
  }
  store(p, static_cast<std::uint32_t>(frames_.size()));
  store(p + 4, std::uint8_t{0});  // no checksums here: each frame has its own
  store(p + 5, kSeekableMagic);
  return write(table);
}

bool PackedFileWriter::write_frame(std::span<const std::byte> content) {
  const std::size_t bytes = ZSTD_compress2(compressor_->context, packed_.data(), packed_.size(),
                                           content.data(), content.size());
  if (ZSTD_isError(bytes) != 0) return false;
  frames_.push_back(
      {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(content.size())});
  content_bytes_ += content.size();
  return write(std::span<const std::byte>(packed_).first(bytes));
}

bool PackedFileWriter::write(std::span<const std::byte> bytes) {
  packed_bytes_ += bytes.size();
  return sink_(bytes);
}

}  // namespace ringside::trace
