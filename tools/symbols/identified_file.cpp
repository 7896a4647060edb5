#include "tools/symbols/identified_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace ringside::tool {
namespace {

constexpr std::size_t kMostDigits = 128;

std::string text_of_variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? text : "";
}

std::string debuginfod_cache() {
  if (std::string path = text_of_variable("DEBUGINFOD_CACHE_PATH"); !path.empty()) return path;
  std::string cache = text_of_variable("XDG_CACHE_HOME");
  if (cache.empty()) cache = text_of_variable("HOME") + "/.cache";
  return cache + "/debuginfod_client";
}

bool has_build_id(int file, std::string_view build_id) {
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
  if (elf == nullptr) return false;
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string digits;
  for (ssize_t i = 0; i < count; ++i) {
    digits += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  }
  elf_end(elf);
  return digits == build_id;
}

}  // namespace

bool is_build_id(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() > 2 && text.size() <= kMostDigits && text.size() % 2 == 0 &&
         std::all_of(text.begin(), text.end(), is_digit);
}

std::vector<std::string> code_paths(const std::string& recorded_path, std::string_view build_id) {
  return {recorded_path, fmt::format("{}/{}/executable", debuginfod_cache(), build_id)};
}

std::vector<std::string> debug_paths(std::string_view build_id) {
  return {fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build_id.substr(0, 2),
                      build_id.substr(2)),
          fmt::format("{}/{}/debuginfo", debuginfod_cache(), build_id)};
}

int open_identified(const std::vector<std::string>& paths, std::string_view build_id,
                    std::string* found) {
  if (!is_build_id(build_id)) return -1;
  for (const std::string& path : paths) {
    // A path of a trace may name a pipe or a device.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) continue;
    struct stat info {};
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && has_build_id(file, build_id)) {
      *found = path;
      return file;
    }
    close(file);
  }
  return -1;
}

}  // namespace ringside::tool
