#include "tools/fleet/sink_segment.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/fleet/extent_message.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::fleet {
namespace {

using trace::BlockType;

bool failed(const std::string& path, const char* what, std::string* why) {
  *why = path + ": " + what + ": " + std::generic_category().message(errno) +
         "; free space, or repair the disk";
  return false;
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = fd >= 0 && ::fsync(fd) == 0;
  if (fd >= 0) ::close(fd);
  return is_synced;
}

// SERVICE.PID.SEGMENT.NUMBER.ringtrace: files of consumerd, with another third part, are not ours.
bool is_of_sink(const std::filesystem::path& path) {
  const std::string stem = path.stem().stem().string();  // without the number
  const std::size_t point = stem.rfind('.');
  return path.extension() == ".ringtrace" && point != std::string::npos &&
         stem.size() - point - 1 == 2 * sizeof(SegmentUuid) &&
         stem.find_first_not_of("0123456789abcdef", point + 1) == std::string::npos;
}

bool ends_with_shipped(trace::TraceFile& file) {
  if (file.size() < ShippedBlock::kBytes) return false;
  const std::uint64_t begin = file.size() - ShippedBlock::kBytes;
  trace::BlockReader reader(file, begin, file.size(), nullptr);
  trace::Block block;
  return reader.next(block) && block.offset == begin && block.frame.type == BlockType::kShipped;
}

}  // namespace

SinkSegment::SinkSegment(std::string folder, std::string stem)
    : folder_(std::move(folder)), stem_(std::move(stem)) {
  std::vector<std::string> paths;
  trace::ReadError error;
  if (!std::filesystem::exists(folder_) || !trace::expand_trace_path(folder_, paths, &error)) {
    return;
  }
  for (const std::string& path : paths) {
    if (std::filesystem::path(path).filename().string().starts_with(stem_)) recover_file(path);
  }
}

SinkSegment::~SinkSegment() {
  if (fd_ >= 0) ::close(fd_);
}

void SinkSegment::recover_file(const std::string& path) {
  trace::ReadError error;
  const auto file = trace::TraceFile::open(path, &error);
  if (file == nullptr) return;
  trace::BlockReader reader(*file, 0, file->size(), nullptr);
  trace::Block block;
  std::vector<trace::ExtentHeader> extents;  // since the last SHIPPED block
  bool is_in_section = false;
  std::uint64_t end = 0;
  while (reader.next(block)) {
    trace::ExtentHeader extent;
    ShippedBlock shipped;
    if (block.frame.type == BlockType::kExtent &&
        trace::ExtentHeader::parse(block.payload, extent)) {
      extents.push_back(extent);
    } else if (block.frame.type == BlockType::kHeader) {
      is_in_section = true;
    } else if (block.frame.type == BlockType::kEnd) {
      is_in_section = false;
    } else if (block.frame.type == BlockType::kShipped &&
               ShippedBlock::parse(block.payload, shipped)) {
      for (const trace::ExtentHeader& each : extents) ledger_.take(each);
      extents.clear();
      end = block.offset + block.frame.block_bytes();
      // Places only rise, also if the queue's numbers begin again.
      if (shipped.next >= last_.next) {
        last_ = shipped;
        is_in_section_ = is_in_section;
      }
    }
  }
  const bool is_packed = path != trace::unpacked_name(path);
  if (!is_packed && end < file->size() && ::truncate(path.c_str(), static_cast<off_t>(end)) != 0) {
    // Its rest precedes what will follow: the next blocks begin a section of their own.
    is_in_section_ = false;
  }
}

bool SinkSegment::is_in_section() const {
  return is_in_section_ &&
         (fd_ >= 0 || path_.empty() || ::access(path_.c_str(), F_OK) == 0 || errno != ENOENT);
}

bool SinkSegment::open_file(const std::string& path, std::string* why) {
  if (fd_ >= 0 && path_ == path) return true;
  if (!sync(why)) return false;
  std::error_code code;
  std::filesystem::create_directories(folder_, code);
  path_ = path;
  is_new_ = !std::filesystem::exists(path, code);
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  return fd_ >= 0 || failed(path, "cannot be opened", why);
}

bool SinkSegment::append(std::uint32_t file_sequence, std::span<const std::byte> blocks,
                         const ShippedBlock& shipped, bool leaves_section_open, std::string* why) {
  if (!open_file(fmt::format("{}/{}{}.ringtrace", folder_, stem_, file_sequence), why))
    return false;
  std::vector<std::byte> bytes(blocks.begin(), blocks.end());
  bytes.resize(bytes.size() + ShippedBlock::kBytes);
  shipped.write(std::span(bytes).last(ShippedBlock::kBytes));
  if (!write_all(fd_, bytes)) return failed(path_, "cannot be written", why);
  last_ = shipped;
  is_in_section_ = leaves_section_open;
  return true;
}

bool SinkSegment::sync(std::string* why) {
  if (fd_ < 0) return true;
  if (::fdatasync(fd_) != 0) return failed(path_, "cannot be made durable", why);
  if (is_new_ && !sync_folder(folder_)) return failed(folder_, "cannot be made durable", why);
  is_new_ = false;
  ::close(std::exchange(fd_, -1));
  return true;
}

void cut_unfinished_writes(const std::string& directory) {
  std::error_code code;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(directory, options, code), end;
       !code && at != end; at.increment(code)) {
    const std::string path = at->path();
    trace::ReadError error;
    if (!is_of_sink(at->path())) continue;
    const auto file = trace::TraceFile::open(path, &error);
    if (file == nullptr || ends_with_shipped(*file)) continue;
    trace::BlockReader reader(*file, 0, file->size(), nullptr);
    trace::Block block;
    std::uint64_t shipped_end = 0;
    while (reader.next(block)) {
      if (block.frame.type == BlockType::kShipped)
        shipped_end = block.offset + block.frame.block_bytes();
    }
    if (::truncate(path.c_str(), static_cast<off_t>(shipped_end)) != 0) continue;
  }
}

}  // namespace ringside::fleet
