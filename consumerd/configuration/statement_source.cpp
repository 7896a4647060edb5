#include "consumerd/configuration/statement_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/log/log.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "shm-layout/segment_header.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/segment_name.hpp"
#include "trace-format/reader/trace_paths.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer {
namespace {

std::size_t read_bytes_at(int fd, std::uint64_t offset, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool begins_like_a_segment(int fd) {
  std::uint64_t magic = 0;
  return read_bytes_at(fd, 0, std::as_writable_bytes(std::span(&magic, 1))) == sizeof magic &&
         magic == shm::kSegmentMagic;
}

bool visit_segment(int fd, const struct stat& info, const StatementVisitor& visit,
                   std::string* why) {
  auto header = std::make_unique<shm::SegmentHeader>();
  static_assert(std::is_trivially_destructible_v<shm::SegmentHeader>);
  std::vector<std::byte> page(sizeof *header);
  if (read_bytes_at(fd, 0, page) != page.size()) {
    *why = "truncated segment";
    return false;
  }
  std::memcpy(static_cast<void*>(header.get()), page.data(), page.size());
  const std::uint32_t version = header->version.load(std::memory_order_relaxed);
  if (header->byte_order_mark != shm::kByteOrderMark || shm::abi_major(version) != shm::kAbiMajor) {
    *why = "segment of another ABI version; use the consumerd of the service's release";
    return false;
  }
  const auto layout = shm::read_layout(*header, static_cast<std::uint64_t>(info.st_size));
  if (!layout) {
    *why = "damaged segment: its layout does not match its size";
    return false;
  }
  std::uint64_t committed = 0;
  const std::uint64_t committed_at = layout->control_offset + offsetof(shm::ControlPage, service) +
                                     offsetof(shm::ServiceLine, dictionary_committed_bytes);
  read_bytes_at(fd, committed_at, std::as_writable_bytes(std::span(&committed, 1)));
  // A file may claim any size; its disk space bounds what it holds.
  const std::uint64_t backed = static_cast<std::uint64_t>(info.st_blocks) * 512;
  committed = std::min({committed, layout->dictionary_bytes, backed});
  std::vector<std::byte> entries(committed);
  entries.resize(read_bytes_at(fd, layout->dictionary_offset, entries));
  trace::SiteTable sites;
  const bool sound = sites.add(entries, why);
  const std::string service(header->service, strnlen(header->service, sizeof header->service));
  sites.for_each([&](const trace::Site& site) { visit(service, site); });
  return sound;
}

bool visit_traces(const std::vector<std::string>& files, const StatementVisitor& visit,
                  std::string* why) {
  trace::ReadOptions options;
  options.losses = false;
  options.site = [&](const trace::Site& site, const trace::SegmentInfo& segment) {
    visit(segment.service, site);
    return false;  // records are not needed: nothing is decoded
  };
  trace::ReadError error;
  auto traces = trace::TraceSet::open(files, options, &error);
  if (!traces) {
    *why = error.text();
    return false;
  }
  trace::Event event;
  while (traces->next(event)) {
  }
  if (traces->report().damaged_blocks == 0) return true;
  *why = "the trace is damaged, statements may be missing; run ringcat verify to see where";
  return false;
}

bool visit_file(const std::string& path, const StatementVisitor& visit, std::string* why) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) {
    *why = error_text(errno);
    return false;
  }
  if (!S_ISREG(info.st_mode)) {
    *why = "not a regular file; name a segment, a trace file or a directory";
    return false;
  }
  if (begins_like_a_segment(fd.get())) return visit_segment(fd.get(), info, visit, why);
  return visit_traces({path}, visit, why);
}

}  // namespace

bool visit_statements(const std::string& path, const StatementVisitor& visit, std::string* why) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (visit_file(path, visit, why)) return true;
    *why = path + ": " + *why;
    return false;
  }
  std::vector<std::string> files;
  trace::ReadError unreadable;
  if (!trace::expand_trace_path(path, files, &unreadable)) {
    *why = unreadable.text();
    return false;
  }
  std::vector<std::string> segments;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename();
    if (!shm::service_of_segment_name(name).empty()) segments.push_back(entry.path());
  }
  if (files.empty() && segments.empty()) {
    *why = path + ": contains neither segments nor trace files; name another directory";
    return false;
  }
  std::sort(segments.begin(), segments.end());
  for (const std::string& segment : segments) {
    if (visit_file(segment, visit, why)) continue;
    if (access(segment.c_str(), F_OK) != 0) continue;  // drained and removed since the scan
    *why = segment + ": " + *why;
    return false;
  }
  return files.empty() || visit_traces(files, visit, why);
}

}  // namespace ringside::consumer
