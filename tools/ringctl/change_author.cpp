#include "tools/ringctl/change_author.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <unistd.h>

#include "shm-layout/clock_reading.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kCut = "...";

// sudo says who called it. The environment, because a directory of users may be out of reach just
// when an operator needs this tool.
std::string_view user_name() {
  for (const char* const variable : {"SUDO_USER", "LOGNAME", "USER"}) {
    const char* const name = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (name != nullptr && *name != '\0') return name;
  }
  return {};
}

// At most `room` bytes, without a part of a character of UTF-8.
std::size_t whole_characters(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (room > 0 && is_inside(room)) --room;
  return room;
}

template <std::size_t kBytes>
void put(std::string_view text, char (&out)[kBytes]) {
  if (text.size() <= kBytes) {
    text.copy(out, kBytes);
    return;
  }
  const std::size_t kept = whole_characters(text, kBytes - kCut.size());
  text.copy(out, kept);
  kCut.copy(out + kept, kCut.size());
}

}  // namespace

std::string command_text(int argc, char** argv) {
  std::string text = "ringctl";
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--shm-dir") ++i;
    if (word == "--shm-dir" || word == "--json" || word.starts_with("--shm-dir=")) continue;
    text += ' ';
    const bool has_blank = word.empty() || word.find(' ') != std::string_view::npos;
    text += has_blank ? '\'' + std::string(word) + '\'' : std::string(word);
  }
  return text;
}

shm::ChangeRecord change_record(std::string_view command) {
  shm::ChangeRecord record{};
  record.tsc = shm::read_tsc();
  record.uid = getuid();
  record.pid = static_cast<std::uint32_t>(getpid());
  record.author = static_cast<std::uint32_t>(shm::ChangeAuthor::kTool);
  put(user_name(), record.user);
  put(command, record.command);
  return record;
}

}  // namespace ringside::tool
