#include "trace-format/blocks/packed_file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <zstd.h>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

struct PackedFile::Decompressor {
  Decompressor() : context(ZSTD_createDCtx()) {}
  ~Decompressor() { ZSTD_freeDCtx(context); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ZSTD_DCtx* context;
};

bool PackedFile::recognises(TraceFile& packed) {
  std::array<std::byte, 4> magic{};
  return packed.read(0, magic) == magic.size() && is_frame_magic(load<std::uint32_t>(magic.data()));
}

std::unique_ptr<TraceFile> PackedFile::open(std::unique_ptr<TraceFile> packed, ReadError* error) {
  std::string why;
  std::vector<PackedFrame> frames = find_frames(*packed, &why);
  if (frames.empty()) {
    if (error != nullptr) {
      *error = {packed->path(), 0, why, "unpack it with zstd -d and read the result"};
    }
    return nullptr;
  }
  const std::uint64_t size = frames.back().content_offset + frames.back().content_bytes;
  return std::unique_ptr<TraceFile>(new PackedFile(std::move(packed), std::move(frames), size));
}

PackedFile::PackedFile(std::unique_ptr<TraceFile> packed, std::vector<PackedFrame> frames,
                       std::uint64_t size)
    : TraceFile(packed->path(), size),
      packed_(std::move(packed)),
      frames_(std::move(frames)),
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
    const auto next = std::upper_bound(frames_.begin(), frames_.end(), at,
                                       [](std::uint64_t wanted, const PackedFrame& frame) {
                                         return wanted < frame.content_offset;
                                       });
    const auto index = static_cast<std::size_t>(next - frames_.begin()) - 1;
    const std::vector<std::byte>& content = content_of(index).content;
    const auto from = static_cast<std::size_t>(at - frames_[index].content_offset);
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
  place->content.resize(frames_[frame].content_bytes);
  if (!restore(frames_[frame], place->content)) {
    std::fill(place->content.begin(), place->content.end(), std::byte{0});
    report_damage(frame);
  }
  return *place;
}

bool PackedFile::restore(const PackedFrame& frame, std::span<std::byte> content) {
  packed_bytes_.resize(frame.packed_bytes);
  const std::size_t got = packed_->read(frame.packed_offset, packed_bytes_);
  if (got != packed_bytes_.size() || decompressor_->context == nullptr) return false;
  const std::size_t restored =
      ZSTD_decompressDCtx(decompressor_->context, content.data(), content.size(),
                          packed_bytes_.data(), packed_bytes_.size());
  return ZSTD_isError(restored) == 0 && restored == content.size();
}

void PackedFile::report_damage(std::size_t frame) {
  if (report() == nullptr || !damaged_.insert(frame).second) return;
  // Each section of a file opens the file itself and finds the same bad frames: report each once.
  const PackedFrame& place = frames_[frame];
  if (report()->note_once({path(), place.content_offset,
                           "cannot unpack a frame (at byte " + std::to_string(place.packed_offset) +
                               " of the packed file)",
                           "its " + std::to_string(place.content_bytes) +
                               " bytes read as zeros; restore the file from a copy"})) {
    ++report()->damaged_frames;
  }
}

}  // namespace ringside::trace
