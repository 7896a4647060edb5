#include "tools/interop/sorted_lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <queue>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ringside::tool {
namespace {

constexpr std::size_t kLineHeadBytes = 16;  // key, bytes
constexpr std::size_t kRunReadBytes = std::size_t{64} << 10;

}  // namespace

// One run of the file, line by line.
class SortedLines::RunReader {
 public:
  RunReader(int fd, Run run) : fd_(fd), run_(run) {}

  // False at the end, and if reading failed.
  bool next() {
    if (!has(kLineHeadBytes)) return false;
    std::uint64_t bytes = 0;
    std::memcpy(&key_, buffer_.data() + at_, sizeof key_);
    std::memcpy(&bytes, buffer_.data() + at_ + sizeof key_, sizeof bytes);
    at_ += kLineHeadBytes;
    if (!has(bytes)) return false;
    line_ = std::string_view(buffer_).substr(at_, bytes);
    at_ += bytes;
    return true;
  }

  std::uint64_t key() const { return key_; }
  std::string_view line() const { return line_; }
  int error() const { return error_; }

 private:
  bool has(std::size_t bytes) {
    while (buffer_.size() - at_ < bytes) {
      if (run_.begin == run_.end) return false;
      buffer_.erase(0, at_);
      at_ = 0;
      const std::size_t held = buffer_.size();
      const auto room = static_cast<std::size_t>(
          std::min<std::uint64_t>(std::max(bytes, kRunReadBytes), run_.end - run_.begin));
      buffer_.resize(held + room);
      const ssize_t got = ::pread(fd_, buffer_.data() + held, room, static_cast<off_t>(run_.begin));
      buffer_.resize(held + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got <= 0) {
        error_ = got < 0 ? errno : EIO;
        return false;
      }
      run_.begin += static_cast<std::uint64_t>(got);
    }
    return true;
  }

  int fd_;
  Run run_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t key_ = 0;
  std::string_view line_;
  int error_ = 0;
};

void SortedLines::sort() {
  const auto before = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::stable_sort(entries_.begin(), entries_.end(), before);
  }
}

void SortedLines::spill() {
  sort();
  if (file_ == nullptr && failure_.empty()) file_ = OutputFile::create_unnamed(&failure_);
  if (file_ != nullptr) {
    Run run{file_->bytes(), 0};
    std::string lines;
    for (const Entry& entry : entries_) {
      const std::uint64_t bytes = entry.bytes;
      lines.append(reinterpret_cast<const char*>(&entry.key), sizeof entry.key);
      lines.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
      lines.append(text_, entry.at, entry.bytes);
      if (lines.size() >= kRunReadBytes) {
        file_->write(std::as_bytes(std::span(lines)));
        lines.clear();
      }
    }
    file_->write(std::as_bytes(std::span(lines)));
    run.end = file_->bytes();
    runs_.push_back(run);
  }
  entries_.clear();
  text_.clear();
}

bool SortedLines::give(const Sink& sink, std::string* error) {
  if (runs_.empty() && failure_.empty()) {
    sort();
    for (const Entry& entry : entries_) {
      sink(std::string_view(text_).substr(entry.at, entry.bytes));
    }
    return true;
  }
  spill();
  return merge(sink, error);
}

bool SortedLines::merge(const Sink& sink, std::string* error) {
  const std::string path = file_ == nullptr ? std::string() : file_->readable_path(&failure_);
  const int fd = failure_.empty() ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) {
    *error = failure_.empty() ? path + ": " + std::generic_category().message(errno) : failure_;
    return false;
  }
  std::vector<RunReader> readers;
  for (const Run& run : runs_) readers.emplace_back(fd, run);
  // (key, run): of lines with equal keys, those of the earlier run come first.
  using Head = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (readers[i].next()) heads.emplace(readers[i].key(), i);
  }
  while (!heads.empty()) {
    const std::size_t i = heads.top().second;
    heads.pop();
    sink(readers[i].line());
    if (readers[i].next()) heads.emplace(readers[i].key(), i);
  }
  ::close(fd);
  for (const RunReader& reader : readers) {
    if (reader.error() == 0) continue;
    *error = "sorting the lines failed: " + std::generic_category().message(reader.error());
    return false;
  }
  return true;
}

}  // namespace ringside::tool
