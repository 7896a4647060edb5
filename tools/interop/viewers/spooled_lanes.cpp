#include "tools/interop/viewers/spooled_lanes.hpp"

#include <cerrno>
#include <fcntl.h>
#include <span>
#include <system_error>
#include <unistd.h>

namespace ringside::tool {

void SpooledLanes::spill() {
  if (file_ == nullptr && failure_.empty()) file_ = OutputFile::create_unnamed(&failure_);
  for (Lane& lane : lanes_) {
    if (lane.text.empty()) continue;
    if (file_ != nullptr) {
      lane.pieces.push_back({file_->bytes(), lane.text.size()});
      file_->write(std::as_bytes(std::span(lane.text)));
    }
    lane.text = {};
  }
  held_ = 0;
}

bool SpooledLanes::move_to(std::size_t lane, OutputBytes& output) {
  if (file_ != nullptr && path_.empty() && failure_.empty()) {
    path_ = file_->readable_path(&failure_);
  }
  if (!failure_.empty()) {
    output.fail(failure_);
    return false;
  }
  if (lane >= lanes_.size()) return true;
  Lane& wanted = lanes_[lane];
  const int fd = wanted.pieces.empty() ? -1 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  std::string piece;
  for (const Piece& place : wanted.pieces) {
    piece.resize(place.bytes);
    std::size_t got = 0;
    while (got < piece.size()) {
      const ssize_t bytes = ::pread(fd, piece.data() + got, piece.size() - got,
                                    static_cast<off_t>(place.offset + got));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) {
        failure_ = "reading back what was spooled failed: " +
                   std::generic_category().message(bytes < 0 ? errno : EIO);
        output.fail(failure_);
        break;
      }
      got += static_cast<std::size_t>(bytes);
    }
    if (!failure_.empty()) break;
    output.put(piece);
  }
  if (fd >= 0) ::close(fd);
  output.put(wanted.text);
  wanted = {};
  return failure_.empty();
}

}  // namespace ringside::tool
