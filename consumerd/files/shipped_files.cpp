#include "consumerd/files/shipped_files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/log/log.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/shipped_mark.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::consumer {

void ShippedFiles::look_again(const std::set<std::string>& stems) {
  next_files_.clear();
  std::erase_if(places_, [&stems](const auto& entry) { return !stems.contains(entry.first); });
}

bool ShippedFiles::has(const ClosedFile& file) {
  const std::optional<Place> place = place_of(file);
  return place && place->file_sequence < next_file(place->uuid);
}

// What its first HEADER says: the name can belong to segments of several containers.
std::optional<ShippedFiles::Place> ShippedFiles::place_of(const ClosedFile& file) {
  const auto of_stem = places_.find(file.name.stem);
  if (of_stem != places_.end()) {
    const auto known = of_stem->second.find(file.name.sequence);
    if (known != of_stem->second.end()) return known->second;
  }
  const std::string path = output_dir_ + "/" + file.name.text();
  const auto trace =
      trace::TraceFile::open(file.plain ? path : trace::packed_name(path), nullptr, nullptr);
  if (trace == nullptr) return std::nullopt;
  trace::BlockReader reader(*trace, 0, trace->size(), nullptr);
  trace::Block block;
  trace::SectionHeader header;
  if (!reader.next(block) || block.frame.type != trace::BlockType::kHeader ||
      !trace::SectionHeader::parse(block.payload, header)) {
    return std::nullopt;
  }
  const Place place{header.uuid, header.file_sequence};
  places_[file.name.stem][file.name.sequence] = place;
  return place;
}

std::uint32_t ShippedFiles::next_file(const Uuid& uuid) {
  const auto [entry, is_new] = next_files_.try_emplace(uuid, 0);
  if (!is_new) return entry->second;
  const std::string path =
      output_dir_ + "/" + trace::ShippedMark::kFolder + "/" + trace::ShippedMark::file_name(uuid);
  const UniqueFd fd = open_without_links(path, O_RDONLY);
  if (!fd && errno != ENOENT) {
    complain_("cannot read " + path + ": " + error_text(errno) +
              "; files that are shipped stay until keep-unshipped-bytes; make it readable for this "
              "user");
  }
  struct stat info {};
  std::array<std::byte, trace::ShippedMark::kBytes> bytes{};
  if (!fd || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size != static_cast<off_t>(bytes.size()) ||
      pread(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return 0;
  }
  const auto mark = trace::ShippedMark::parse(bytes);
  if (mark && mark->uuid == uuid) entry->second = mark->next_file;
  return entry->second;
}

}  // namespace ringside::consumer
