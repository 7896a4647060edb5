#include "tools/files/trace_packing.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <span>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "tools/files/output_file.hpp"
#include "trace-format/packing/packed_file.hpp"
#include "trace-format/packing/packed_file_writer.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Passes all bytes to `take`, until it returns false. False if not all could be read or taken.
bool each_piece(trace::TraceFile& file,
                const std::function<bool(std::span<const std::byte>)>& take) {
  std::vector<std::byte> piece(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, file.size())));
  for (std::uint64_t offset = 0; offset < file.size();) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file.size() - offset));
    const std::size_t got = file.read(offset, std::span(piece).first(wanted));
    if (got == 0 || !take(std::span(piece).first(got))) return false;
    offset += got;
  }
  return true;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// `source`: its state when it was opened. Another tool may have replaced or removed it since: a
// file that was not read must stay.
bool remove_source(const std::string& path, const struct stat& source,
                   const PackingOptions& options, std::string* error) {
  struct stat now {};
  if (options.keep || (::stat(path.c_str(), &now) != 0 && errno == ENOENT)) return true;
  if (!is_same_file(now, source)) {
    *error = path + ": done, but another program replaced it meanwhile; it stays";
    return false;
  }
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  *error = path + ": done, but cannot remove it: " + std::generic_category().message(errno) +
           "; remove it, or use --keep";
  return false;
}

std::unique_ptr<trace::TraceFile> open_source(const std::string& path, trace::ReadReport* report,
                                              std::string* error) {
  trace::ReadError why;
  auto file = trace::TraceFile::open(path, &why, report);
  if (file == nullptr) *error = why.text();
  return file;
}

// False with `*error` if `path` was written since its state `before`.
bool unchanged(const std::string& path, const struct stat& before, std::string* error) {
  struct stat now {};
  if (::stat(path.c_str(), &now) != 0) {
    *error = path + ": another program removed it meanwhile; nothing is packed";
    return false;
  }
  if (is_same_file(now, before) && now.st_size == before.st_size &&
      now.st_mtim.tv_sec == before.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == before.st_mtim.tv_nsec) {
    return true;
  }
  *error = path + ": is still being written; pack it when consumerd has finished it";
  return false;
}

}  // namespace

bool pack_file(const std::string& path, const PackingOptions& options, std::string* error) {
  struct stat before {};
  // If this fails, open_source() reports the reason.
  (void)::stat(path.c_str(), &before);
  trace::ReadReport report;
  const auto source = open_source(path, &report, error);
  if (source == nullptr) return false;
  if (dynamic_cast<const trace::PackedFile*>(source.get()) != nullptr) {
    *error = path + ": is already packed";
    return false;
  }
  const auto output =
      OutputFile::create(trace::packed_name(path), {options.force, mode_like(path)}, error);
  if (output == nullptr) return false;
  const auto writer = trace::PackedFileWriter::create(
      [&](std::span<const std::byte> bytes) { return output->write(bytes); }, options.level,
      options.bytes ? trace::PackedForm::kBytes : trace::PackedForm::kColumns);
  if (writer == nullptr) {
    *error = path + ": not enough memory to pack it; use a lower --level";
    return false;
  }
  const bool taken =
      each_piece(*source, [&](auto piece) { return writer->append(piece); }) && writer->finish();
  if (output->has_failed(error) || !unchanged(path, before, error)) return false;
  if (!taken || writer->content_bytes() != source->size()) {
    *error = path + ": cannot read it completely; check the disk";
    return false;
  }
  return output->commit(error) && remove_source(path, before, options, error);
}

bool unpack_file(const std::string& path, const PackingOptions& options, std::string* error) {
  struct stat before {};
  // If this fails, open_source() reports the reason.
  (void)::stat(path.c_str(), &before);
  trace::ReadReport report;
  const auto source = open_source(path, &report, error);
  if (source == nullptr) return false;
  if (dynamic_cast<const trace::PackedFile*>(source.get()) == nullptr) {
    *error = path + ": is not packed";
    return false;
  }
  const std::string name(trace::unpacked_name(path));
  if (name == path) {
    *error = path + ": the name must end in .zst; rename it";
    return false;
  }
  const auto output = OutputFile::create(name, {options.force, mode_like(path)}, error);
  if (output == nullptr) return false;
  std::uint64_t bytes = 0;
  const bool taken = each_piece(*source, [&](auto piece) {
    bytes += piece.size();
    return output->write(piece) && report.damaged_frames == 0;
  });
  if (report.damaged_frames != 0) {
    *error = path + ": a frame is damaged; use `ringcat repair` to copy the intact parts";
    return false;
  }
  if (output->has_failed(error)) return false;
  if (!taken && bytes != source->size()) {
    *error = path + ": cannot read it completely; check the disk";
    return false;
  }
  return output->commit(error) && remove_source(path, before, options, error);
}

}  // namespace ringside::tool
