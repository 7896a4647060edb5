#include "tools/verify_command.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/exit_codes.hpp"
#include "tools/section_check.hpp"
#include "trace-format/block_reader.hpp"
#include "trace-format/trace_file.hpp"
#include "trace-format/trace_paths.hpp"

namespace ringside::tool {
namespace {

// One complaint a place; thousands of them help nobody.
constexpr std::uint64_t kMaxComplaints = 1000;

class Verification {
 public:
  bool check(const std::string& path) {
    trace::ReadError error;
    trace::ReadReport report;
    const auto file = trace::TraceFile::open(path, &error, &report);
    if (file == nullptr) {
      fmt::print(stderr, "ringcat verify: {}\n", error.text());
      return false;
    }
    complaints_of_file_ = 0;
    blocks_ = records_ = dropped_ = missing_ = sections_ = unended_ = 0;
    trace::BlockReader blocks(*file, 0, file->size(), &report);
    trace::Block block;
    std::optional<SectionCheck> section;
    const auto complain = [this, &path](std::uint64_t offset, const std::string& what) {
      tell(fmt::format("{}:{}: {}", path, offset, what));
    };
    while (blocks.next(block)) {
      ++blocks_;
      if (!section || section->ended() || block.frame.type == trace::BlockType::kHeader) {
        close(section);
        if (block.frame.type != trace::BlockType::kHeader) {
          complain(block.offset, "a block that no HEADER precedes");
        }
        ++sections_;
        section.emplace(block.offset, numbers_, complain);
      }
      section->take(block);
    }
    close(section);
    file->report_to(nullptr);
    for (const trace::ReadError& note : report.notes) {
      if (report.damaged_bytes != 0 || report.damaged_frames != 0) tell(note.text());
    }
    if (blocks_ == 0) {
      fmt::print(stderr, "ringcat verify: {}:0: not a Ringside trace; nothing in it is a block\n",
                 path);
      return false;
    }
    fmt::print(
        "{}: {}; {} sections ({} without END), {} blocks, {} records, {} dropped, {} missing, "
        "{} bytes damaged, {} bytes unfinished\n",
        path, complaints_of_file_ == 0 ? "sound" : "NOT SOUND", sections_, unended_, blocks_,
        records_, dropped_, missing_, report.damaged_bytes, report.unfinished_bytes);
    return true;
  }

  bool sound() const { return complaints_ == 0; }

 private:
  void tell(const std::string& text) {
    ++complaints_of_file_;
    if (complaints_++ < kMaxComplaints) fmt::print("{}\n", text);
    if (complaints_ == kMaxComplaints) fmt::print("further places are not named\n");
  }

  void close(const std::optional<SectionCheck>& section) {
    if (!section) return;
    records_ += section->counts().records;
    dropped_ += section->counts().dropped;
    missing_ += section->counts().missing;
    if (!section->ended()) ++unended_;
  }

  StreamNumbers numbers_;
  std::uint64_t complaints_ = 0;
  std::uint64_t complaints_of_file_ = 0;
  std::uint64_t sections_ = 0;
  std::uint64_t unended_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t missing_ = 0;
};

}  // namespace

int run_verify(int argc, char** argv) {
  std::vector<std::string> paths;
  CLI::App app(
      "Checks every block, checksum, record, sequence number and index of trace files, and says at "
      "which offset what is wrong.",
      "ringcat verify");
  app.add_option("PATH", paths,
                 "trace files, packed or not, or directories of them; those of one "
                 "service in the order of their rotation")
      ->required();
  app.footer(
      "Exit status: 0 all sound (a file may still be written), 1 something is not, 2 wrong usage, "
      "3 a file could not be read.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    trace::ReadError error;
    if (!trace::expand_trace_path(path, files, &error)) {
      fmt::print(stderr, "ringcat verify: {}\n", error.text());
      return kExitUnreadable;
    }
  }
  if (files.empty()) {
    fmt::print(stderr,
               "ringcat verify: no trace files there; name files or directories of *.ringtrace\n");
    return kExitUnreadable;
  }
  Verification verification;
  bool all_read = true;
  for (const std::string& file : files) all_read = verification.check(file) && all_read;
  if (!all_read) return kExitUnreadable;
  return verification.sound() ? kExitOk : kExitDamaged;
}

}  // namespace ringside::tool
