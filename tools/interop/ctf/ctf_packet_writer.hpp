#pragma once
// Writes the packets of one thread to a separate file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shm-layout/loss_cause.hpp"
#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {

// The metadata's declarations of the head of these packets.
extern const char* const kPacketLayout;

// The file name of a stream in the trace's directory.
std::string stream_file_name(std::uint64_t stream);

// Not thread-safe. The file is open only while a packet is written: there can be more threads than
// descriptors.
class PacketWriter {
 public:
  // Packets are written when they reach this size, or when the caller needs their memory.
  static constexpr std::size_t kPacketBytes = std::size_t{256} << 10;

  struct Identity {
    std::array<std::uint8_t, 16> trace{};
    std::uint64_t stream = 0;   // number of the file
    std::uint32_t process = 0;  // number of its entry in `env`
  };

  PacketWriter(int directory_fd, const Identity& identity);

  // Applies to packets that begin from here on.
  void name_thread(std::uint32_t id, std::string_view name);

  // Events from here on ran on this processor. Call close() before it changes.
  std::uint32_t processor() const { return processor_; }
  void run_on(std::uint32_t processor) { processor_ = processor; }

  // The place for an event, which must not be older than the previous one. Call close() when
  // full().
  std::string& begin_event(std::uint64_t time_ns) {
    if (packet_.empty()) open(time_ns);
    last_ns_ = time_ns;
    return packet_;
  }
  bool full() const { return packet_.size() >= kPacketBytes; }
  std::size_t pending() const { return packet_.size(); }
  std::uint64_t last_ns() const { return last_ns_; }

  // Writes a packet without events for the time in which `count` were lost.
  bool lose(std::uint64_t since_ns, std::uint64_t until_ns, std::uint64_t count,
            shm::LossCause cause);

  // Writes the pending packet. False with errno.
  bool close();

 private:
  void open(std::uint64_t begin_ns);
  bool write_out() const;

  int directory_fd_;
  Identity identity_;
  std::string packet_;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t discarded_ = 0;
  std::uint32_t cause_ = 0;
  std::uint32_t thread_ = 0;
  std::uint32_t processor_ = kUnknownProcessor;
  std::string thread_name_;
};

}  // namespace ringside::tool::ctf
