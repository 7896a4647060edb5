#include "consumerd/files/section_front.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint32_t kWriterVersion = 0 << 16 | 1 << 8 | 0;

}  // namespace

bool is_this_boot(const std::uint8_t (&boot_id)[16]) {
  const UniqueFd fd(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[37] = {};
  if (!fd || read(fd.get(), text, 36) != 36) return false;
  std::size_t nibble = 0;
  std::uint8_t ours[16] = {};
  for (const char c : std::string_view(text, 36)) {
    if (c == '-' || nibble == 32) continue;
    const int value = c >= 'a' ? c - 'a' + 10 : c - '0';
    ours[nibble / 2] = static_cast<std::uint8_t>(ours[nibble / 2] << 4 | (value & 15));
    ++nibble;
  }
  return std::memcmp(ours, boot_id, sizeof ours) == 0;
}

trace::SectionHeader section_header(const shm::SegmentHeader& segment, std::uint32_t sequence) {
  trace::SectionHeader header;
  std::copy(std::begin(segment.uuid), std::end(segment.uuid), header.uuid.begin());
  std::copy(std::begin(segment.boot_id), std::end(segment.boot_id), header.boot_id.begin());
  header.pid = segment.pid;
  header.uid = segment.uid;
  header.tick_hz = segment.tsc_frequency_hz;
  header.start_tsc = segment.start_tsc;
  header.start_monotonic_ns = segment.start_monotonic_ns;
  header.start_realtime_ns = segment.start_realtime_ns;
  header.clock_source = static_cast<trace::ClockSource>(segment.clock_source);
  header.file_sequence = sequence;
  header.writer_version = kWriterVersion;
  header.service = segment.service;
  header.executable = segment.exe;
  header.host = segment.host;
  return header;
}

}  // namespace ringside::consumer
