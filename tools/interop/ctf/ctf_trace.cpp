#include "tools/interop/ctf/ctf_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <system_error>
#include <tuple>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kMostMetadataBytes = std::size_t{256} << 20;
// All are kept in mind, some 80 bytes of each.
constexpr std::size_t kMostPackets = 8'000'000;

// The clock that the events' times, or else the packets', are of.
const Clock* clock_of(const Node& node, const Metadata& metadata) {
  if (node.type != nullptr && (!node.type->clock.empty() || is_named_for_time(node))) {
    if (const Clock* const clock = metadata.find_clock(node.type->clock)) return clock;
  }
  for (const Node& child : node.children) {
    if (const Clock* const clock = clock_of(child, metadata)) return clock;
  }
  return nullptr;
}

}  // namespace

FileWindow::~FileWindow() {
  if (fd_ >= 0) ::close(fd_);
}

bool FileWindow::open(int directory_fd, const std::string& name) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = ::openat(directory_fd, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) return false;
  size_ = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  return true;
}

std::span<const std::byte> FileWindow::load(std::uint64_t offset, std::size_t bytes) {
  if (offset >= size_) return {};
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - offset));
  if (bytes_.size() < bytes) bytes_.resize(bytes);
  std::size_t held = 0;
  while (held < bytes) {
    const ssize_t got =
        ::pread(fd_, bytes_.data() + held, bytes - held, static_cast<off_t>(offset + held));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    held += static_cast<std::size_t>(got);
  }
  return std::span(bytes_).first(held);
}

Trace::~Trace() {
  if (fd_ >= 0) ::close(fd_);
}

bool Trace::load_metadata(const std::string& path, ReadOutcome* outcome) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  FileWindow file;
  if (fd_ < 0 || !file.open(fd_, "metadata")) {
    *outcome = ReadOutcome::refused(
        0, fmt::format("metadata: cannot be opened: {}", std::generic_category().message(errno)));
    return false;
  }
  MetadataError error;
  if (file.size() > kMostMetadataBytes) {
    error.message = "more than 256 MiB";
  } else {
    const auto bytes = file.load(0, static_cast<std::size_t>(file.size()));
    const std::string_view held(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (ctf::metadata_text(held, &text_, &error)) metadata_ = parse_metadata(text_, &error);
  }
  if (metadata_ != nullptr) return true;
  *outcome = ReadOutcome::refused(error.offset, "metadata: " + error.message);
  return false;
}

bool Trace::make_layouts(ReadOutcome* outcome) {
  layouts_ = std::make_unique<LayoutMaker>(*metadata_);
  bool made = layouts_->make_packet_header(packet_header_);
  magic_ = layouts_->slot_of(packet_header_, "magic");
  stream_id_ = layouts_->slot_of(packet_header_, "stream_id");
  stream_instance_id_ = layouts_->slot_of(packet_header_, "stream_instance_id");
  for (const auto& [id, description] : metadata_->streams) {
    StreamReader& stream = streams_[id];
    made = made && layouts_->make_stream(description, stream.layout);
    Node& context = stream.layout.packet_context;
    for (const auto& [name, slot] : {std::pair("timestamp_begin", &stream.timestamp_begin),
                                     {"timestamp_end", &stream.timestamp_end},
                                     {"content_size", &stream.content_size},
                                     {"packet_size", &stream.packet_size},
                                     {"packet_seq_num", &stream.packet_seq_num},
                                     {"events_discarded", &stream.events_discarded},
                                     {"ringside_process", &stream.process},
                                     {"ringside_thread", &stream.thread},
                                     {"ringside_loss_cause", &stream.loss_cause}}) {
      *slot = layouts_->slot_of(context, name);
    }
    if (const Node* const discarded = find_plain_member(context, "events_discarded")) {
      if (discarded->bits < 64) stream.most_discarded = (std::uint64_t{1} << discarded->bits) - 1;
    }
    stream.clock = clock_of(stream.layout.event_header, *metadata_);
    if (stream.clock == nullptr) stream.clock = clock_of(context, *metadata_);
  }
  for (const EventDescription& event : metadata_->events) {
    const auto stream = streams_.find(event.stream_id);
    if (stream != streams_.end() && !stream->second.first_event)
      stream->second.first_event = event.id;
  }
  if (!made) *outcome = ReadOutcome::refused(0, "metadata: " + layouts_->error());
  return made;
}

void Trace::list_files() {
  const int fd = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  DIR* const directory = fd < 0 ? nullptr : ::fdopendir(fd);
  if (directory == nullptr) return;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of a stream of this thread alone, which glibc has safe
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    struct stat status {};
    const bool is_file = ::fstatat(fd_, name.c_str(), &status, 0) == 0 && S_ISREG(status.st_mode);
    if (is_file && name != "metadata" && !name.starts_with('.')) files_.push_back(name);
  }
  ::closedir(directory);
  std::sort(files_.begin(), files_.end());
}

bool Trace::read_head(Decoder& decoder, Packet& packet, std::string* why) {
  decoder.make_room(layouts_->slots(), 0);
  decoder.bits().go_to(0);
  if (decoder.decode(packet_header_) != Decoded::kYes) {
    *why = "the file ends within the header of this packet";
    return false;
  }
  if (magic_ != kNone && decoder.slot(magic_) != kPacketMagic) {
    *why = "no packet begins here: its magic number is missing";
    return false;
  }
  packet.stream_id = stream_id_ != kNone          ? decoder.slot(stream_id_)
                     : metadata_->streams.empty() ? 0
                                                  : metadata_->streams.begin()->first;
  const auto found = streams_.find(packet.stream_id);
  if (found == streams_.end()) {
    *why = fmt::format("a packet of stream {}, which the metadata lacks", packet.stream_id);
    return false;
  }
  const StreamReader& stream = found->second;
  const Decoded decoded = decoder.decode(stream.layout.packet_context);
  if (decoded != Decoded::kYes) {
    *why = decoded == Decoded::kBad ? decoder.failure()
                                    : "the file ends within the context of this packet";
    return false;
  }
  decoder.set_clock(decoder.slot(stream.timestamp_begin));
  packet.begin_ns =
      stream.timestamp_begin == kNone ? 0 : stream.unix_ns(decoder.slot(stream.timestamp_begin));
  packet.end_ns = stream.timestamp_end == kNone
                      ? packet.begin_ns
                      : stream.unix_ns(decoder.slot(stream.timestamp_end));
  packet.discarded = decoder.slot(stream.events_discarded);
  packet.sequence =
      stream.packet_seq_num == kNone ? kNoSequence : decoder.slot(stream.packet_seq_num);
  return true;
}

void Trace::index_file(std::uint32_t file, ReadOutcome* outcome) {
  FileWindow window;
  const auto damaged = [&](std::uint64_t offset, const std::string& why) {
    if (outcome->end == ReadEnd::kWhole)
      *outcome = ReadOutcome::damaged(offset, files_[file] + ": " + why);
  };
  if (!window.open(fd_, files_[file])) return damaged(0, std::generic_category().message(errno));
  Decoder decoder;
  for (std::uint64_t offset = 0; offset < window.size();) {
    if (packets_.size() == kMostPackets) {
      return damaged(offset, fmt::format("more than {} packets; read fewer of the files at a time",
                                         kMostPackets));
    }
    Packet packet;
    packet.file = file;
    packet.offset = offset;
    decoder.bits().open(window.load(offset, kHeadWindow), 0, UINT64_MAX);
    std::string why;
    if (!read_head(decoder, packet, &why)) return damaged(offset, why);
    const StreamReader& stream = streams_.at(packet.stream_id);
    const std::uint64_t left = window.size() - offset;
    packet.bits = stream.content_size != kNone  ? decoder.slot(stream.content_size)
                  : stream.packet_size != kNone ? decoder.slot(stream.packet_size)
                                                : left * 8;
    const std::uint64_t all =
        stream.packet_size != kNone ? decoder.slot(stream.packet_size) : packet.bits;
    if (all % 8 != 0 || packet.bits > all || packet.bits < decoder.bits().at()) {
      return damaged(offset, fmt::format("a packet of {} bits, {} of them used", all, packet.bits));
    }
    packet.bytes = all / 8;
    const std::uint64_t own =
        stream_instance_id_ == kNone ? UINT64_MAX - file : decoder.slot(stream_instance_id_);
    packet.instance =
        instances_.try_emplace({packet.stream_id, own}, instances_.size()).first->second;
    packets_.push_back(packet);
    if (packet.bytes > left) {
      damaged(window.size(), fmt::format("the file ends within the packet at {}", offset));
      return;
    }
    offset += packet.bytes;
  }
}

ReadOutcome Trace::open(const std::string& path) {
  ReadOutcome outcome;
  if (!load_metadata(path, &outcome) || !make_layouts(&outcome)) return outcome;
  list_files();
  for (std::uint32_t file = 0; file < files_.size(); ++file) index_file(file, &outcome);
  std::stable_sort(packets_.begin(), packets_.end(), [](const Packet& a, const Packet& b) {
    return std::tie(a.instance, a.begin_ns) < std::tie(b.instance, b.begin_ns);
  });
  return outcome;
}

}  // namespace ringside::tool::ctf
