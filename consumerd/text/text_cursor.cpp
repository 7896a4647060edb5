#include "consumerd/text/text_cursor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/text/segment_uuid.hpp"
#include "trace-format/blocks/crc32c.hpp"

namespace ringside::consumer {
namespace {

constexpr const char* kMagic = "ringside-text-cursor-1";
constexpr std::size_t kMostBytes = 64U << 20;
constexpr mode_t kCursorMode = 0640;

std::uint32_t checksum(const std::string& text) {
  return trace::crc32c(0, std::as_bytes(std::span(text)));
}

std::string text_of(const TextState& state, std::uint64_t generation) {
  std::ostringstream out;
  out << kMagic << ' ' << generation << '\n'
      << state.device << ' ' << state.inode << ' ' << state.bytes << ' ' << state.begun_unix_s
      << ' ' << state.segments.size() << '\n';
  for (const SegmentPosition& at : state.segments) {
    out << segment_uuid_text(at.uuid) << ' ' << at.stem << ' ' << at.file_sequence << ' '
        << at.section_offset << ' ' << at.events << ' ' << at.gaps << ' ' << at.over << ' '
        << at.stray_losses.size();
    for (const auto& [cause, count] : at.stray_losses) {
      out << ' ' << static_cast<std::uint32_t>(cause) << ' ' << count;
    }
    out << '\n';
  }
  std::string text = std::move(out).str();
  text += "end " + std::to_string(checksum(text)) + '\n';
  return text;
}

bool read_segment(std::istream& in, SegmentPosition* at) {
  std::string uuid;
  std::size_t causes = 0;
  if (!(in >> uuid >> at->stem >> at->file_sequence >> at->section_offset >> at->events >>
        at->gaps >> at->over >> causes) ||
      !parse_uuid(uuid, &at->uuid)) {
    return false;
  }
  for (; causes > 0; --causes) {
    std::uint32_t cause = 0;
    std::uint64_t count = 0;
    if (!(in >> cause >> count)) return false;
    at->stray_losses[static_cast<shm::LossCause>(cause)] = count;
  }
  return true;
}

// What follows the line "end" is left from a longer state.
std::optional<TextState> parse(const std::string& text, std::uint64_t* generation) {
  const std::size_t end = text.find("\nend ");
  if (end == std::string::npos) return {};
  std::istringstream in(text.substr(end + 5));
  std::uint32_t sum = 0;
  if (!(in >> sum) || sum != checksum(text.substr(0, end + 1))) return {};
  in = std::istringstream(text.substr(0, end + 1));
  std::string magic;
  TextState state;
  std::size_t segments = 0;
  if (!(in >> magic >> *generation >> state.device >> state.inode >> state.bytes >>
        state.begun_unix_s >> segments) ||
      magic != kMagic) {
    return {};
  }
  for (; segments > 0; --segments) {
    if (!read_segment(in, &state.segments.emplace_back())) return {};
  }
  return state;
}

std::string content_of(const std::string& dir, const std::string& name) {
  const UniqueFd fd = open_in(dir, name, O_RDONLY);
  std::string content;
  char piece[16384];
  ssize_t got = 0;
  while (fd && content.size() < kMostBytes && (got = read(fd.get(), piece, sizeof piece)) > 0) {
    content.append(piece, static_cast<std::size_t>(got));
  }
  return content;
}

}  // namespace

TextCursor::TextCursor(std::string output_dir, const std::string& service)
    : output_dir_(std::move(output_dir)), stem_("." + service + ".text-cursor.") {}

std::string TextCursor::name_of(std::uint64_t generation) const {
  return stem_ + (generation % 2 == 0 ? "0" : "1");
}

bool TextCursor::load(TextState* state, std::string* why) {
  const std::string name = stem_ + "lock";
  lock_ = open_in(output_dir_, name, O_RDWR | O_CREAT, kCursorMode);
  if (!lock_) {
    *why = "cannot open " + output_dir_ + "/" + name + ": " + error_text(errno);
    return false;
  }
  if (!try_lock_byte(lock_.get(), 0) && (errno == EAGAIN || errno == EACCES)) {
    *why = "cannot lock " + output_dir_ + "/" + name +
           ": another consumerd writes this text; use another --output directory";
    return false;
  }
  *state = {};
  for (const std::uint64_t parity : {0U, 1U}) {
    std::uint64_t generation = 0;
    auto stored = parse(content_of(output_dir_, name_of(parity)), &generation);
    if (!stored || generation <= generation_) continue;
    generation_ = generation;
    *state = std::move(*stored);
  }
  return true;
}

bool TextCursor::store(const TextState& state, std::string* why) {
  const std::string text = text_of(state, generation_ + 1);
  const std::string name = name_of(generation_ + 1);
  const UniqueFd fd = open_in(output_dir_, name, O_WRONLY | O_CREAT, kCursorMode);
  std::size_t written = 0;
  while (fd && written < text.size()) {
    const ssize_t got =
        pwrite(fd.get(), text.data() + written, text.size() - written, static_cast<off_t>(written));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    written += static_cast<std::size_t>(got);
  }
  if (written < text.size()) {
    *why = "cannot write " + output_dir_ + "/" + name + ": " + error_text(errno);
    return false;
  }
  ++generation_;
  return true;
}

}  // namespace ringside::consumer
