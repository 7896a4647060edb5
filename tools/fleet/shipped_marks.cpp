#include "tools/fleet/shipped_marks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tools/fleet/trace_segments.hpp"
#include "trace-format/blocks/shipped_mark.hpp"

namespace ringside::fleet {

bool save_shipped_mark(const std::string& path, const SegmentUuid& uuid, std::uint32_t next_file,
                       std::string* why) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path() / trace::ShippedMark::kFolder;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const std::string name = (folder / trace::ShippedMark::file_name(uuid)).string();
  const std::string unfinished = name + ".new";
  trace::ShippedMark mark;
  mark.uuid = uuid;
  mark.next_file = next_file;
  const auto bytes = mark.bytes();
  // Not synced: an older mark after a failure of the power costs only that files stay longer.
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file && std::rename(unfinished.c_str(), name.c_str()) == 0) return true;
  *why = name + ": cannot be written: " + std::generic_category().message(errno) +
         "; consumerd keeps shipped files as unshipped until the user of ringship can write there";
  return false;
}

bool is_of_earlier_boot(const SegmentUuid& boot_id) {
  static const std::string text = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string read{std::istreambuf_iterator<char>(file), {}};
    std::erase_if(read, [](char c) { return c == '-' || c == '\n'; });
    return read;
  }();
  return text.size() == 2 * boot_id.size() && boot_id != SegmentUuid() &&
         text != uuid_text(boot_id);
}

}  // namespace ringside::fleet
