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
// All packets are kept in memory, about 80 bytes each.
constexpr std::size_t kMostPackets = 8'000'000;

// The clock of the events' times, or else of the packets' times.
const Clock* clock_of(const Node& node, const Metadata& metadata) {
  if (node.type != nullptr && (!node.type->clock.empty() || is_named_for_time(node))) {
    if (const Clock* const clock = metadata.find_clock(node.type->clock)) return clock;
  }
  for (const Node& child : node.children) {
    if (const Clock* const clock = clock_of(child, metadata)) return clock;
  }
  return nullptr;
}

const Node* find_role(const Node& node, Role role) {
  if ((node.packet_roles & bit_of(role)) != 0) return &node;
  for (const Node& child : node.children) {
    if (const Node* const found = find_role(child, role)) return found;
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

void Trace::name_roles(StreamReader& stream) {
  const auto name = [](Node& structure, std::string_view member, Role role) {
    Node* const node = find_plain_member(structure, member);
    const bool is_number =
        node != nullptr && (node->kind == TypeKind::kInteger || node->kind == TypeKind::kEnum);
    if (!is_number) return;
    node->role = NodeRole::kOfPacket;
    node->packet_roles = bit_of(role);
  };
  name(packet_header_, "magic", Role::kMagic);
  name(packet_header_, "stream_id", Role::kStreamClassId);
  name(packet_header_, "stream_instance_id", Role::kStreamId);
  Node& context = stream.layout.packet_context;
  name(context, "timestamp_begin", Role::kTimestamp);
  name(context, "timestamp_end", Role::kEndTimestamp);
  name(context, "content_size", Role::kContentBits);
  name(context, "packet_size", Role::kTotalBits);
  name(context, "packet_seq_num", Role::kSequence);
  name(context, "events_discarded", Role::kDiscarded);
}

bool Trace::make_layouts(ReadOutcome* outcome) {
  layouts_ = std::make_unique<LayoutMaker>(*metadata_);
  const bool is_named = metadata_->major == 1;
  bool made = layouts_->make_packet_header(packet_header_);
  for (const auto& [id, description] : metadata_->streams) {
    StreamReader& stream = streams_[id];
    made = made && layouts_->make_stream(description, stream.layout);
    if (is_named) name_roles(stream);
    Node& context = stream.layout.packet_context;
    for (const auto& [name, slot] : {std::pair("ringside_process", &stream.process),
                                     {"ringside_thread", &stream.thread},
                                     {"ringside_loss_cause", &stream.loss_cause}}) {
      *slot = layouts_->slot_of(context, name);
    }
    if (const Node* const discarded = find_role(context, Role::kDiscarded)) {
      if (discarded->bits < 64) stream.most_discarded = (std::uint64_t{1} << discarded->bits) - 1;
    }
    stream.has_begin = find_role(context, Role::kTimestamp) != nullptr;
    if (!is_named) {
      if (!description.clock.empty()) stream.clock = metadata_->find_clock(description.clock);
      continue;
    }
    stream.clock = clock_of(stream.layout.event_header, *metadata_);
    if (stream.clock == nullptr) stream.clock = clock_of(context, *metadata_);
  }
  for (const EventDescription& event : metadata_->events) {
    const auto stream = streams_.find(event.stream_id);
    if (is_named && stream != streams_.end() && !stream->second.first_event)
      stream->second.first_event = event.id;
  }
  if (!made) *outcome = ReadOutcome::refused(0, "metadata: " + layouts_->error());
  return made;
}

void Trace::list_files() {
  const int fd = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  DIR* const directory = fd < 0 ? nullptr : ::fdopendir(fd);
  if (directory == nullptr) return;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): only this thread uses the stream, which glibc makes safe
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    struct stat status {};
    const bool is_file = ::fstatat(fd_, name.c_str(), &status, 0) == 0 && S_ISREG(status.st_mode);
    if (is_file && name != "metadata" && !name.starts_with('.')) files_.push_back(name);
  }
  ::closedir(directory);
  std::sort(files_.begin(), files_.end());
}

bool Trace::check_packet_header(const Decoder& decoder, std::string* why) const {
  if (decoder.packet_fact(Role::kMagic, kPacketMagic) != kPacketMagic) {
    *why = "not a packet: its magic number is missing";
    return false;
  }
  if (decoder.has(Role::kUuid) && metadata_->stream_uuid != decoder.packet_uuid()) {
    *why = "a packet of another trace: its UUID differs from that of the metadata";
    return false;
  }
  return true;
}

bool Trace::read_head(Decoder& decoder, Packet& packet, std::string* why) {
  decoder.make_room(layouts_->slots(), 0);
  decoder.forget_packet();
  decoder.bits().go_to(0);
  if (const Decoded decoded = decoder.decode(packet_header_); decoded != Decoded::kYes) {
    *why = decoded == Decoded::kBad ? decoder.failure()
                                    : "the file ends within the header of this packet";
    return false;
  }
  if (!check_packet_header(decoder, why)) return false;
  const bool has_default = metadata_->major != 1 || metadata_->streams.empty();
  packet.stream_id = decoder.packet_fact(Role::kStreamClassId,
                                         has_default ? 0 : metadata_->streams.begin()->first);
  const auto found = streams_.find(packet.stream_id);
  if (found == streams_.end()) {
    *why =
        fmt::format("a packet of stream {}, which the metadata does not define", packet.stream_id);
    return false;
  }
  const StreamReader& stream = found->second;
  const Decoded decoded = decoder.decode(stream.layout.packet_context);
  if (decoded != Decoded::kYes) {
    *why = decoded == Decoded::kBad ? decoder.failure()
                                    : "the file ends within the context of this packet";
    return false;
  }
  const std::uint64_t begin = decoder.packet_fact(Role::kTimestamp, 0);
  decoder.set_clock(begin);
  packet.begin_ns = decoder.has(Role::kTimestamp) ? stream.unix_ns(begin) : 0;
  packet.end_ns = decoder.has(Role::kEndTimestamp)
                      ? stream.unix_ns(decoder.packet_fact(Role::kEndTimestamp, 0))
                      : packet.begin_ns;
  packet.discarded = decoder.packet_fact(Role::kDiscarded, 0);
  packet.sequence = decoder.packet_fact(Role::kSequence, kNoSequence);
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
      return damaged(offset,
                     fmt::format("more than {} packets; read fewer files at a time", kMostPackets));
    }
    Packet packet;
    packet.file = file;
    packet.offset = offset;
    decoder.bits().open(window.load(offset, kHeadWindow), 0, UINT64_MAX);
    std::string why;
    if (!read_head(decoder, packet, &why)) return damaged(offset, why);
    const std::uint64_t left = window.size() - offset;
    const std::uint64_t total = decoder.packet_fact(Role::kTotalBits, left * 8);
    packet.bits = decoder.packet_fact(Role::kContentBits, total);
    // Without a total length the packet ends with its content, in whole bytes.
    const std::uint64_t content = packet.bits > UINT64_MAX - 7 ? packet.bits : packet.bits + 7;
    const std::uint64_t all = decoder.packet_fact(Role::kTotalBits, content / 8 * 8);
    if (all % 8 != 0 || packet.bits > all || packet.bits < decoder.bits().at()) {
      return damaged(offset, fmt::format("a packet of {} bits, {} of them used", all, packet.bits));
    }
    packet.bytes = all / 8;
    const std::uint64_t own = decoder.packet_fact(Role::kStreamId, UINT64_MAX - file);
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
