#pragma once
// A trace directory of CTF: its metadata, and the places of its packets.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/interop/ctf/ctf_decoder.hpp"
#include "tools/interop/ctf/ctf_layout.hpp"
#include "tools/interop/ctf/ctf_metadata.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::ctf {

struct Packet {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;  // bytes in the file
  std::uint64_t bits = 0;    // of header, contexts and events
  std::uint64_t bytes = 0;   // with the padding
  std::uint64_t stream_id = 0;
  std::uint64_t instance = 0;  // number of the stream among all
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t discarded = 0;  // so far in the stream
  std::uint64_t sequence = 0;   // kNoSequence if packets have none
};
inline constexpr std::uint64_t kNoSequence = UINT64_MAX;

// A part of a file in memory.
class FileWindow {
 public:
  ~FileWindow();
  FileWindow() = default;
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;
  // False with errno.
  bool open(int directory_fd, const std::string& name);
  // The existing part of these bytes.
  std::span<const std::byte> load(std::uint64_t offset, std::size_t bytes);
  std::uint64_t size() const { return size_; }

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> bytes_;
};

// How to read the packets of one stream description.
struct StreamReader {
  StreamLayout layout;
  const Clock* clock = nullptr;  // of the events' times; null: there are none
  // The id of its first event: events whose header has no id have this one (CTF 1.8).
  std::optional<std::uint64_t> first_event;
  std::uint64_t most_discarded =
      UINT64_MAX;                 // the field's largest value, after which it restarts at 0
  bool has_begin = false;         // packets have a begin time
  std::uint32_t process = kNone;  // of traces of Ringside
  std::uint32_t thread = kNone;
  std::uint32_t loss_cause = kNone;

  std::uint64_t unix_ns(std::uint64_t ticks) const {
    return clock == nullptr ? ticks : clock->unix_ns(ticks);
  }
};

// Not thread-safe.
class Trace {
 public:
  Trace() = default;
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // kRefused: the metadata is missing or cannot be read. kDamaged: packets() has those before the
  // damage.
  ReadOutcome open(const std::string& path);

  const Metadata& metadata() const { return *metadata_; }
  const std::string& metadata_text() const { return text_; }
  LayoutMaker& layouts() { return *layouts_; }
  StreamReader& stream(std::uint64_t id) { return streams_.at(id); }
  int directory_fd() const { return fd_; }
  const std::vector<std::string>& files() const { return files_; }

  // Sorted by instance, those of one instance in their order.
  const std::vector<Packet>& packets() const { return packets_; }

  // Decodes header and context of a packet from the decoder's bits, as far as they exist; its
  // events begin at decoder.bits().at(). False with `*why`.
  bool read_head(Decoder& decoder, Packet& packet, std::string* why);

 private:
  bool load_metadata(const std::string& path, ReadOutcome* outcome);
  bool make_layouts(ReadOutcome* outcome);
  void name_roles(StreamReader& stream);
  bool check_packet_header(const Decoder& decoder, std::string* why) const;
  void list_files();
  void index_file(std::uint32_t file, ReadOutcome* outcome);

  int fd_ = -1;
  std::string text_;
  std::unique_ptr<Metadata> metadata_;
  std::unique_ptr<LayoutMaker> layouts_;
  Node packet_header_;
  std::map<std::uint64_t, StreamReader> streams_;
  std::vector<std::string> files_;
  std::vector<Packet> packets_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> instances_;
};

// Enough bytes of a packet for its header and context.
inline constexpr std::size_t kHeadWindow = std::size_t{16} << 10;

}  // namespace ringside::tool::ctf
