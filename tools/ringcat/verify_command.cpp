#include "tools/ringcat/verify_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/files/trace_verification.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/text/help_format.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/lines/visible_text.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

// Thousands of findings do not help a human reader; programs get all of them.
constexpr std::uint64_t kMostTold = 1000;

class Output {
 public:
  explicit Output(bool json) : json_(json) {}

  void finding(const Finding& finding) {
    if (json_) {
      line({{"file", finding.file}, {"offset", finding.offset}, {"finding", finding.what}});
    } else if (told_++ < kMostTold) {
      put(fmt::format("{}:{}: {}\n", trace::visible(finding.file), finding.offset,
                      trace::visible(finding.what)));
    } else if (told_ == kMostTold + 1) {
      put("further findings are only counted; use --format json to list all\n");
    }
  }

  void file(const std::string& path, const VerifiedCounts& counts) {
    if (json_) {
      line({{"file", path}, {"sound", counts.is_sound()}, {"counts", object(counts)}});
    } else {
      put(fmt::format("{}: {}; {}\n", trace::visible(path), verdict(counts, "intact", "NOT INTACT"),
                      text(counts)));
    }
  }

  void sum(const VerifiedCounts& counts) {
    if (json_) {
      line({{"files", counts.files}, {"sound", counts.is_sound()}, {"counts", object(counts)}});
    } else if (counts.files > 1) {
      put(fmt::format("{} files: {}; {}\n", counts.files,
                      verdict(counts, "all intact", "NOT ALL INTACT"), text(counts)));
    }
  }

  bool failed() const { return error_ != 0; }
  int error() const { return error_; }

 private:
  static std::string verdict(const VerifiedCounts& c, const char* sound, const char* unsound) {
    if (!c.is_sound()) return unsound;
    if (c.missing == 0) return sound;
    return fmt::format("{}, but {} records are missing", sound, c.missing);
  }

  static std::string text(const VerifiedCounts& c) {
    return fmt::format(
        "{} sections ({} without END), {} blocks, {} records, {} dropped, {} missing,{} {} bytes "
        "damaged, {} bytes unfinished",
        c.sections, c.sections_without_end, c.blocks, c.records, c.dropped, c.missing,
        c.not_selected == 0 ? std::string() : fmt::format(" {} not selected,", c.not_selected),
        c.damaged_bytes, c.unfinished_bytes);
  }

  static nlohmann::ordered_json object(const VerifiedCounts& c) {
    return {{"sections", c.sections},
            {"sections_without_end", c.sections_without_end},
            {"blocks", c.blocks},
            {"records", c.records},
            {"dropped", c.dropped},
            {"missing", c.missing},
            {"not_selected", c.not_selected},
            {"damaged_bytes", c.damaged_bytes},
            {"damaged_frames", c.damaged_frames},
            {"unfinished_bytes", c.unfinished_bytes},
            {"findings", c.findings}};
  }

  void line(const nlohmann::ordered_json& object) {
    // A path may contain bytes that are not UTF-8.
    put(object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }

  void put(const std::string& text) {
    if (error_ == 0 && !write_output(text)) error_ = errno;
  }

  bool json_;
  std::uint64_t told_ = 0;
  int error_ = 0;
};

// Compares as many bytes as there are.
bool begins_a_block(trace::TraceFile& file) {
  constexpr std::uint32_t kMagic = trace::kBlockMagic;
  std::array<std::byte, sizeof kMagic> front{};
  const std::size_t bytes = file.read(0, front);
  return std::memcmp(front.data(), &kMagic, bytes) == 0;
}

int verify(const std::vector<std::string>& paths, bool json) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    trace::ReadError error;
    if (!trace::expand_trace_path(path, files, &error)) {
      complain(error.text());
      return kExitUnreadable;
    }
  }
  if (files.empty()) {
    complain("no trace files found; name files or directories of *.ringtrace");
    return kExitUnreadable;
  }
  trace::put_rotated_in_order(files);
  Output output(json);
  TraceVerification verification([&](const Finding& finding) { output.finding(finding); });
  VerifiedCounts sum;
  bool all_read = true;
  for (const std::string& path : files) {
    trace::ReadError error;
    const auto file = trace::TraceFile::open(path, &error);
    if (file == nullptr) {
      complain(error.text());
      all_read = false;
      continue;
    }
    const VerifiedCounts counts = verification.check(*file);
    // A new file contains nothing yet.
    const bool nothing_yet = file->size() == counts.unfinished_bytes && begins_a_block(*file);
    if (counts.blocks == 0 && counts.findings == 0 && !nothing_yet) {
      complain(path + ": not a Ringside trace: it contains no block; check the path");
      all_read = false;
      continue;
    }
    output.file(path, counts);
    sum += counts;
  }
  output.sum(sum);
  if (output.failed()) return exit_code_of_failed_output(output.error());
  if (!all_read) return kExitUnreadable;
  return sum.findings == 0 ? kExitOk : kExitDamaged;
}

}  // namespace

int run_verify(int argc, char** argv) {
  std::vector<std::string> paths;
  std::string format = "text";
  CLI::App app(
      "Checks every block, checksum, record, sequence number and index of trace files, and reports "
      "each problem with its offset.",
      "ringcat verify");
  app.add_option("PATH", paths,
                 "trace files, packed or not, or directories of them; list the files of one "
                 "service in the order of rotation")
      ->required();
  FleetOptions fleet;
  add_fleet_options(app, fleet);
  app.add_option("--format", format, "text, or json: one object per line for each finding and file")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.footer(
      "A repaired file is intact, but lacks the damaged records.\n"
      "\n"
      "Exit status: 0 all files are intact, and complete or still being written, 1 a problem\n"
      "was found, 2 invalid usage, 3 a file could not be read.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  FleetInputs inputs;
  if (!inputs.take(paths, fleet)) return kExitUnreadable;
  return std::max(verify(paths, format == "json"), inputs.exit_code());
}

}  // namespace ringside::tool
