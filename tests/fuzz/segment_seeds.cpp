// Writes seeds for the segment target, made by the library itself. They hold a segment when it is
// new, while two threads log and a snapshot is requested, when the rings are full, and all of these
// changes as steps.
//
// usage: RINGSIDE_SHM_DIR=DIR RINGSIDE_OVERFLOW=POLICY segment_seeds PREFIX

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/ringside.hpp>

#include "shm-layout/control_page.hpp"
#include "shm-layout/segment_layout.hpp"
#include "tests/fuzz/segment_steps.hpp"

namespace {

using namespace ringside;
using fuzz::kLineBytes;

constexpr std::int32_t kPageBytes = 4096;
constexpr std::size_t kMostStepBytes = 2048;

using Lines = std::map<std::uint32_t, std::vector<char>>;  // the lines that are not zero

// Reads the allocated parts without touching the others, and leaves out the switches: a seed would
// mostly hold them, and zeros are as good as any.
Lines lines_of(const std::string& path) {
  Lines lines;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  shm::SegmentHeader header;
  if (pread(fd, static_cast<void*>(&header), sizeof header, 0) != sizeof header) return lines;
  const auto layout = shm::read_layout(header, header.segment_bytes);
  if (!layout) return lines;
  std::vector<char> page(kPageBytes);
  for (off_t at = 0; (at = lseek(fd, at, SEEK_DATA)) >= 0; at += off_t{kPageBytes}) {
    if (pread(fd, page.data(), page.size(), at) != static_cast<ssize_t>(page.size())) break;
    const auto offset = static_cast<std::uint64_t>(at);
    if (offset >= layout->switches_offset && offset < layout->dictionary_offset) continue;
    for (std::size_t i = 0; i < page.size(); i += kLineBytes) {
      const std::vector<char> line(page.begin() + static_cast<std::ptrdiff_t>(i),
                                   page.begin() + static_cast<std::ptrdiff_t>(i + kLineBytes));
      if (line != std::vector<char>(kLineBytes, 0)) {
        lines[static_cast<std::uint32_t>((static_cast<std::size_t>(at) + i) / kLineBytes)] = line;
      }
    }
  }
  close(fd);
  return lines;
}

// The differences of `after` from `before`, as steps.
std::string steps(const Lines& before, const Lines& after, unsigned when) {
  std::string text;
  std::string bytes;
  std::uint32_t first = 0;
  const auto flush = [&] {
    fuzz::StepHead head;
    head.line = first;
    head.bytes = static_cast<std::uint16_t>(bytes.size());
    head.when = static_cast<std::uint8_t>(when);
    if (!bytes.empty()) text.append(reinterpret_cast<const char*>(&head), sizeof head) += bytes;
    bytes.clear();
  };
  for (const auto& [line, content] : after) {
    const auto old = before.find(line);
    if (old != before.end() && old->second == content) continue;
    if (bytes.size() >= kMostStepBytes || line != first + bytes.size() / kLineBytes) flush();
    if (bytes.empty()) first = line;
    bytes.append(content.data(), content.size());
  }
  flush();
  return text;
}

void log_each_kind(int i) {
  RS_INFO("nothing but a text");
  RS_DEBUG("%d of %u and %lld, %hhx", i, 7U, -3LL, 200);
  RS_ERROR("%s costs %.2f, %c %p", "tea", 1.5 + i, 'x', nullptr);
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_WARNING, "%s",
                        std::string(static_cast<std::size_t>(i), 'y').c_str());
}

// As ringctl does; it has no effect on rings that are drained.
bool ask_for_snapshot(const std::string& path) {
  constexpr off_t kRequested = shm::kPageBytes + offsetof(shm::ControlPage, snapshot_request) +
                               offsetof(shm::SnapshotRequest, requested);
  const std::uint64_t number = 1;
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool asked =
      fd >= 0 && pwrite(fd, &number, sizeof number, kRequested) == sizeof number && close(fd) == 0;
  return asked;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: RINGSIDE_SHM_DIR=DIR RINGSIDE_OVERFLOW=POLICY segment_seeds PREFIX\n");
    return 2;
  }
  Options options;
  options.service = "seeds";
  options.ring_bytes = 64U << 10;
  options.max_threads = 4;
  const Status status = init(options);
  if (status.state != State::live) {
    std::fprintf(stderr, "%s\n", status.message.c_str());
    return 1;
  }
  unsigned count = 0;
  const auto write = [&](std::uint8_t how, const std::string& steps) {
    std::ofstream(argv[1] + std::to_string(count++), std::ios::binary)
        << static_cast<char>(how) << steps;
  };
  const Lines fresh = lines_of(status.segment_path);
  log_each_kind(3);
  const Lines begun = lines_of(status.segment_path);
  std::thread([] { log_each_kind(70); }).join();
  if (!ask_for_snapshot(status.segment_path)) return 1;
  log_each_kind(5);
  set_level(Level::debug);  // a change of what is collected
  const Lines two = lines_of(status.segment_path);
  for (int i = 0; i < 3000; ++i) log_each_kind(i % 10);
  Lines full = lines_of(status.segment_path);
  for (const std::uint8_t how : {std::uint8_t{0}, fuzz::kKilled}) {
    write(how, steps({}, fresh, 0));
    write(how, steps({}, two, 0));
    write(how, steps({}, fresh, 0) + steps(fresh, begun, 1) + steps(begun, two, 2));
  }
  // Keeps the beginning and the positions of the full ring; the rest repeats.
  std::erase_if(full, [&](const auto& line) {
    return line.first > 10'000 && line.first % 1024 > 128 && !two.contains(line.first);
  });
  write(0, steps({}, full, 0));
  write(fuzz::kKilled, steps({}, two, 0) + steps(two, full, 1));
  return 0;
}
