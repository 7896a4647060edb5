#include "trace-format/packing/packed_file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <zstd.h>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/seek_table.hpp"
#include "trace-format/packing/column_frame_reader.hpp"
#include "trace-format/packing/column_layout.hpp"
#include "trace-format/packing/column_table.hpp"

namespace ringside::trace {

struct PackedFile::Decompressor {
  Decompressor() : context(ZSTD_createDCtx()) {}
  ~Decompressor() { ZSTD_freeDCtx(context); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // The first bytes of a frame: fewer if it has fewer, or is damaged.
  std::size_t begin(std::span<const std::byte> packed, std::span<std::byte> content) {
    if (context == nullptr) return 0;
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{content.data(), content.size(), 0};
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    while (in.pos < in.size && out.pos < out.size) {
      const std::size_t before = in.pos + out.pos;
      const std::size_t result = ZSTD_decompressStream(context, &out, &in);
      if (result == 0 || ZSTD_isError(result) != 0 || in.pos + out.pos == before) break;
    }
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    return out.pos;
  }

  ZSTD_DCtx* context;
};

bool PackedFile::recognises(TraceFile& packed) {
  std::array<std::byte, 4> magic{};
  return packed.read(0, magic) == magic.size() && is_frame_magic(load<std::uint32_t>(magic.data()));
}

std::unique_ptr<TraceFile> PackedFile::open(std::unique_ptr<TraceFile> packed, ReadError* error) {
  std::string why;
  const std::vector<PackedFrame> frames = find_frames(*packed, &why);
  if (frames.empty()) {
    if (error != nullptr) {
      *error = {packed->path(), 0, why, "unpack it with zstd -d and read the result"};
    }
    return nullptr;
  }
  std::vector<Part> parts = column_parts(*packed, frames);
  const bool has_columns = !parts.empty();
  if (!has_columns) {
    for (const PackedFrame& frame : frames) {
      parts.push_back({frame, frame.content_offset, frame.content_bytes});
    }
  }
  return std::unique_ptr<TraceFile>(
      new PackedFile(std::move(packed), std::move(parts), has_columns));
}

// The restored bytes of each frame, from the table after the last one. Empty without a valid one.
std::vector<std::uint32_t> PackedFile::read_column_table(TraceFile& packed,
                                                         const std::vector<PackedFrame>& frames) {
  const std::size_t payload = 4 * frames.size() + 4;
  std::vector<std::byte> table(kSkippableHeaderBytes + payload);
  if (packed.read(frames.back().packed_offset + frames.back().packed_bytes, table) !=
          table.size() ||
      load<std::uint32_t>(table.data()) != kColumnTableMagic ||
      load<std::uint32_t>(table.data() + 4) != payload ||
      load<std::uint32_t>(table.data() + table.size() - 4) != frames.size()) {
    return {};
  }
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    sizes.push_back(load<std::uint32_t>(table.data() + kSkippableHeaderBytes + 4 * i));
    if (sizes.back() > kMaxRestoredBytes) return {};
  }
  return sizes;
}

// The same from the frames' own heads. Empty if the first frame is not the notice of such a file.
std::vector<std::uint32_t> PackedFile::look_for_columns(TraceFile& packed,
                                                        const std::vector<PackedFrame>& frames) {
  constexpr std::size_t kMostNotice = std::size_t{1} << 20;
  Decompressor decompressor;
  std::vector<std::byte> bytes;
  const auto begin = [&](const PackedFrame& frame, std::span<std::byte> content) {
    bytes.resize(frame.packed_bytes);
    const std::size_t got = packed.read(frame.packed_offset, bytes);
    return content.first(decompressor.begin(std::span(bytes).first(got), content));
  };
  if (frames[0].content_bytes < 2 * kBlockHeaderBytes || frames[0].content_bytes > kMostNotice) {
    return {};
  }
  std::vector<std::byte> notice(frames[0].content_bytes);
  BlockFrame header;
  BlockFrame columns;
  if (begin(frames[0], notice).size() != notice.size() || !parse_block_frame(notice, header) ||
      header.block_bytes() + kBlockHeaderBytes != notice.size() ||
      !parse_block_frame(std::span(notice).last(kBlockHeaderBytes), columns) ||
      columns.type != kColumnsBlock) {
    return {};
  }
  std::vector<std::uint32_t> sizes = {0};
  for (std::size_t i = 1; i < frames.size(); ++i) {
    std::array<std::byte, kColumnHeadBytes> head{};
    const auto size = restored_bytes(begin(frames[i], head));
    // A damaged frame counts as one of the usual size.
    sizes.push_back(static_cast<std::uint32_t>(
        std::min<std::size_t>(size.value_or(kMaxRestoredBytes), kMaxRestoredBytes)));
  }
  return sizes;
}

std::vector<PackedFile::Part> PackedFile::column_parts(TraceFile& packed,
                                                       const std::vector<PackedFrame>& frames) {
  std::vector<std::uint32_t> sizes = read_column_table(packed, frames);
  if (sizes.empty()) sizes = look_for_columns(packed, frames);
  std::vector<Part> parts;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 0) parts.push_back({frames[i], offset, sizes[i]});
    offset += sizes[i];
  }
  return parts;
}

PackedFile::PackedFile(std::unique_ptr<TraceFile> packed, std::vector<Part> parts, bool has_columns)
    : TraceFile(packed->path(), parts.back().offset + parts.back().bytes),
      packed_(std::move(packed)),
      parts_(std::move(parts)),
      has_columns_(has_columns),
      decompressor_(std::make_unique<Decompressor>()) {}

PackedFile::~PackedFile() = default;

void PackedFile::report_to(ReadReport* report) {
  TraceFile::report_to(report);
  packed_->report_to(report);
}

std::size_t PackedFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && offset + done < size()) {
    const std::uint64_t at = offset + done;
    const auto next = std::upper_bound(
        parts_.begin(), parts_.end(), at,
        [](std::uint64_t wanted, const Part& part) { return wanted < part.offset; });
    const auto index = static_cast<std::size_t>(next - parts_.begin()) - 1;
    const std::vector<std::byte>& content = content_of(index).content;
    const auto from = static_cast<std::size_t>(at - parts_[index].offset);
    const std::size_t part = std::min(bytes.size() - done, content.size() - from);
    std::memcpy(bytes.data() + done, content.data() + from, part);
    done += part;
  }
  return done;
}

const PackedFile::Kept& PackedFile::content_of(std::size_t frame) {
  Kept* place = kept_.data();
  for (Kept& kept : kept_) {
    if (kept.last_use != 0 && kept.frame == frame) {
      kept.last_use = ++uses_;
      return kept;
    }
    if (kept.last_use < place->last_use) place = &kept;
  }
  place->frame = frame;
  place->last_use = ++uses_;
  place->content.resize(parts_[frame].bytes);
  if (!restore(parts_[frame], place->content)) {
    std::fill(place->content.begin(), place->content.end(), std::byte{0});
    report_damage(frame);
  }
  return *place;
}

bool PackedFile::restore(const Part& part, std::span<std::byte> content) {
  packed_bytes_.resize(part.frame.packed_bytes);
  const std::size_t got = packed_->read(part.frame.packed_offset, packed_bytes_);
  if (got != packed_bytes_.size() || decompressor_->context == nullptr) return false;
  if (has_columns_) columns_.resize(part.frame.content_bytes);
  const std::span<std::byte> out = has_columns_ ? std::span(columns_) : content;
  const std::size_t restored = ZSTD_decompressDCtx(decompressor_->context, out.data(), out.size(),
                                                   packed_bytes_.data(), packed_bytes_.size());
  if (ZSTD_isError(restored) != 0 || restored != out.size()) return false;
  return !has_columns_ || restore_columns(columns_, content);
}

void PackedFile::report_damage(std::size_t frame) {
  if (report() == nullptr || !damaged_.insert(frame).second) return;
  // Each section of a file opens the file itself and finds the same bad frames: report each once.
  const Part& place = parts_[frame];
  if (report()->note_once({path(), place.offset,
                           "cannot unpack a frame (at byte " +
                               std::to_string(place.frame.packed_offset) + " of the packed file)",
                           "its " + std::to_string(place.bytes) +
                               " bytes read as zeros; restore the file from a copy"})) {
    ++report()->damaged_frames;
  }
}

}  // namespace ringside::trace
