#include "consumerd/text/text_marks.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/text/segment_uuid.hpp"

namespace ringside::consumer {
namespace {

constexpr std::string_view kMarkSuffix = ".text-mark";
constexpr mode_t kMarkMode = 0640;

std::string name_of(const std::string& service, const SegmentPosition& of) {
  return "." + service + "." + segment_uuid_text(of.uuid) + std::string(kMarkSuffix);
}

// The content ends with a word, so that a mark whose writer was killed is recognized.
std::string content_of(const SegmentPosition& from) {
  return from.stem + " " + std::to_string(from.file_sequence) + " " +
         std::to_string(from.section_offset) + " mark\n";
}

bool read_mark(const std::string& output_dir, const std::string& name, TextMark* mark) {
  std::string_view rest(name);
  if (!rest.starts_with('.') || !rest.ends_with(kMarkSuffix)) return false;
  rest.remove_prefix(1);
  rest.remove_suffix(kMarkSuffix.size());
  const std::size_t point = rest.find('.');
  if (point == std::string_view::npos || !parse_uuid(rest.substr(point + 1), &mark->from.uuid)) {
    return false;
  }
  mark->service = rest.substr(0, point);
  const UniqueFd fd = open_in(output_dir, name, O_RDONLY);
  char content[512];
  const ssize_t got = fd ? read(fd.get(), content, sizeof content) : -1;
  if (got <= 0) return false;
  std::istringstream in(std::string(content, static_cast<std::size_t>(got)));
  std::string last;
  return (in >> mark->from.stem >> mark->from.file_sequence >> mark->from.section_offset >> last) &&
         last == "mark";
}

}  // namespace

bool make_text_mark(const std::string& output_dir, const std::string& service,
                    const SegmentPosition& from, std::string* why) {
  const std::string name = name_of(service, from);
  TextMark before;
  if (read_mark(output_dir, name, &before)) return true;
  const std::string content = content_of(from);
  const UniqueFd fd = open_in(output_dir, name, O_WRONLY | O_CREAT | O_TRUNC, kMarkMode);
  if (fd &&
      write(fd.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size())) {
    return true;
  }
  *why = "cannot write " + output_dir + "/" + name + ": " + error_text(errno);
  return false;
}

void remove_text_mark(const std::string& output_dir, const std::string& service,
                      const SegmentPosition& of) {
  unlink((output_dir + "/" + name_of(service, of)).c_str());
}

std::vector<TextMark> text_marks(const std::string& output_dir) {
  std::vector<TextMark> marks;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(output_dir.c_str()), closedir);
  if (dir == nullptr) return marks;
  while (const dirent* const entry = readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    TextMark mark;
    if (read_mark(output_dir, entry->d_name, &mark)) marks.push_back(std::move(mark));
  }
  return marks;
}

}  // namespace ringside::consumer
