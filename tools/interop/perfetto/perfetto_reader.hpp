#pragma once
// The packets of a Perfetto trace, a message Trace of perfetto/protos/perfetto/trace.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/input_bytes.hpp"

namespace ringside::tool::perfetto {

// A TracePacket. Views are valid until the reader's next next().
struct Packet {
  std::uint64_t offset = 0;  // in the file; for a compressed packet, that of its container
  std::size_t bytes = 0;     // of its message
  bool is_sound = true;      // false: the bytes after its first fields cannot be read
  std::uint32_t kind = 0;    // the number of the field of its data; 0 if it has none
  std::string_view data;
  std::string_view interned;
  std::string_view defaults;
  std::optional<std::uint64_t> timestamp;
  std::uint32_t clock = 0;  // 0: the default of the sequence
  std::uint32_t sequence = 0;
  std::uint64_t flags = 0;
  std::uint64_t dropped = 0;  // reasons, as bits
  bool is_first = false;      // of its sequence
  std::uint32_t producer_pid = 0;
};

// The name of the field of a packet's data; "" if it is unknown.
std::string_view name_of_kind(std::uint32_t kind);

enum class Step : std::uint8_t { kPacket, kEnd, kDamaged };

// Not thread-safe. Memory: the largest packet, and its unpacked content.
class PacketReader {
 public:
  static constexpr std::size_t kMostPacketBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMostUnpackedBytes = std::size_t{16} << 20;

  explicit PacketReader(InputBytes& input) : input_(input) {}

  // Packets within compressed packets come one by one in place of these; content that cannot be
  // unpacked gives one invalid packet.
  Step next(Packet& packet);

  // Valid after kDamaged: the offset, and what is wrong there.
  std::uint64_t offset() const { return offset_; }
  const std::string& why() const { return why_; }

 private:
  Step damaged(std::uint64_t offset, std::string why);
  bool next_unpacked(Packet& packet);
  void unpack(Packet& packet);

  InputBytes& input_;
  std::uint64_t offset_ = 0;
  std::size_t shown_ = 0;  // bytes of the packet returned last, which are not skipped yet
  std::string why_;
  std::vector<char> unpacked_;
  std::string_view left_;  // of unpacked_
};

// Parses a packet in memory.
Packet parse_packet(std::string_view message);

// Whether the bytes begin a trace: a packet, whole or cut, with fields that packets have.
bool recognise(std::span<const std::byte> first_bytes);

}  // namespace ringside::tool::perfetto
