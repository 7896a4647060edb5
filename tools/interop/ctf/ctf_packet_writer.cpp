#include "tools/interop/ctf/ctf_packet_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ringside::tool::ctf {

// The declaration of HeadLayout below.
const char* const kPacketLayout =
    R"(  packet.header := struct {
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream_id;
    uint64_t stream_instance_id;
  };
};
)"
    R"(
stream {
  id = 0;
  packet.context := struct {
    unix_ns_t timestamp_begin;
    unix_ns_t timestamp_end;
    uint64_t content_size;
    uint64_t packet_size;
    uint64_t packet_seq_num;
    uint64_t events_discarded;
    uint32_t cpu_id;
    uint32_t ringside_process;
    uint32_t ringside_loss_cause;
    uint32_t ringside_thread;
    string ringside_thread_name;
  };
)";

namespace {

struct [[gnu::packed]] HeadLayout {
  std::uint32_t magic;
  std::array<std::uint8_t, 16> uuid;
  std::uint32_t stream_id;
  std::uint64_t stream_instance_id;
  std::uint64_t timestamp_begin;
  std::uint64_t timestamp_end;
  std::uint64_t content_bits;
  std::uint64_t packet_bits;
  std::uint64_t packet_seq_num;
  std::uint64_t events_discarded;
  std::uint32_t cpu_id;
  std::uint32_t process;
  std::uint32_t loss_cause;
  std::uint32_t thread;
};
static_assert(sizeof(HeadLayout) == 96);

}  // namespace

std::string stream_file_name(std::uint64_t stream) {
  return "thread_" + std::to_string(stream);
}

PacketWriter::PacketWriter(int directory_fd, const Identity& identity)
    : directory_fd_(directory_fd), identity_(identity) {}

void PacketWriter::name_thread(std::uint32_t id, std::string_view name) {
  thread_ = id;
  thread_name_ = name.substr(0, name.find('\0'));
}

void PacketWriter::open(std::uint64_t begin_ns) {
  begin_ns_ = begin_ns;
  packet_.resize(sizeof(HeadLayout));
  packet_ += thread_name_;
  packet_ += '\0';
}

bool PacketWriter::lose(std::uint64_t since_ns, std::uint64_t until_ns, std::uint64_t count,
                        shm::LossCause cause) {
  if (!close()) return false;
  open(std::max(since_ns, last_ns_));
  last_ns_ = std::max(until_ns, begin_ns_);
  discarded_ += count;
  cause_ = static_cast<std::uint32_t>(cause);
  const bool written = close();
  cause_ = 0;
  return written;
}

bool PacketWriter::close() {
  if (packet_.empty()) return true;
  HeadLayout head{};
  head.magic = kPacketMagic;
  head.uuid = identity_.trace;
  head.stream_instance_id = identity_.stream;
  head.timestamp_begin = begin_ns_;
  head.timestamp_end = last_ns_;
  head.content_bits = head.packet_bits = std::uint64_t{packet_.size()} * 8;
  head.packet_seq_num = packets_++;
  head.events_discarded = discarded_;
  head.cpu_id = processor_;
  head.process = identity_.process;
  head.loss_cause = cause_;
  head.thread = thread_;
  std::memcpy(packet_.data(), &head, sizeof head);
  const bool written = write_out();
  packet_.clear();
  // Otherwise a thread that writes nothing more would keep the memory.
  packet_.shrink_to_fit();
  return written;
}

bool PacketWriter::write_out() const {
  const std::string name = stream_file_name(identity_.stream);
  const int fd = ::openat(directory_fd_, name.c_str(),
                          O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) return false;
  const char* at = packet_.data();
  std::size_t left = packet_.size();
  while (left != 0) {
    const ssize_t wrote = ::write(fd, at, left);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) break;
    at += wrote;
    left -= static_cast<std::size_t>(wrote);
  }
  const int error = errno;
  const bool closed = ::close(fd) == 0;
  if (left != 0) errno = error;
  return left == 0 && closed;
}

}  // namespace ringside::tool::ctf
