#include "tools/fleet/flight_recorders.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include "tools/live/segment_image.hpp"
#include "tools/live/segment_salvage.hpp"
#include "tools/live/service_choice.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::fleet {
namespace {

// False if the rings are drained all the time: their records are in trace files.
bool is_flight_recorder(const std::string& path) {
  std::string why;
  const auto image = tool::SegmentImage::open_live(path, &why);
  return image != nullptr && image->overwritten();
}

// The copy is read after the files of earlier snapshots by consumerd, which have older records.
void put_last(std::vector<std::byte>& section) {
  trace::BlockFrame frame;
  trace::SectionHeader header;
  if (!trace::parse_block_frame(section, frame) || frame.block_bytes() > section.size()) return;
  const auto payload = std::span(section).subspan(trace::kBlockHeaderBytes,
                                                  frame.block_bytes() - trace::kBlockHeaderBytes);
  const std::vector<std::byte> original(payload.begin(), payload.end());
  if (!trace::SectionHeader::parse(original, header)) return;
  header.file_sequence = UINT32_MAX;
  trace::write_header_block(header, std::span(section).first(frame.block_bytes()));
}

}  // namespace

bool copy_flight_recorders(const std::string& shm_dir, const std::vector<std::string>& services,
                           const std::string& directory, std::string* why) {
  tool::ServiceChoice choice;
  choice.shm_dir = shm_dir;
  choice.services = services;
  std::string first;
  for (const std::string& path : tool::chosen_segments(choice, &first)) {
    if (!is_flight_recorder(path)) continue;
    std::string reason;
    auto salvaged = tool::salvage_segment(path, &reason);
    if (salvaged) {
      put_last(salvaged->trace);
      const std::string name =
          directory + "/" + std::filesystem::path(path).filename().string() + ".ringtrace";
      std::ofstream file(name, std::ios::binary | std::ios::trunc);
      file.write(reinterpret_cast<const char*>(salvaged->trace.data()),
                 static_cast<std::streamsize>(salvaged->trace.size()));
      file.close();
      if (file) continue;
      reason = name + ": cannot be written; make room for the state of ringship";
    } else if (std::error_code code; !std::filesystem::exists(path, code)) {
      continue;  // its service ended since
    }
    if (first.empty()) first = reason;
  }
  if (first.empty()) return true;
  *why = first;
  return false;
}

}  // namespace ringside::fleet
