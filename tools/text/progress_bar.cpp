#include "tools/text/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kBarWidth = 30;
constexpr auto kFirst = seconds(1);
constexpr auto kBetween = milliseconds(100);
constexpr const char* kEraseLine = "\r\x1b[K";

std::uint64_t stored_bytes(std::span<const std::string> paths) {
  std::uint64_t total = 0;
  for (const std::string& path : paths) {
    std::vector<std::string> files;
    if (!trace::expand_trace_path(path, files, nullptr)) continue;
    for (const std::string& file : files) {
      std::error_code error;
      const std::uintmax_t bytes = std::filesystem::file_size(file, error);
      if (!error) total += bytes;
    }
  }
  return total;
}

}  // namespace

std::string progress_text(double fraction, std::uint64_t total_bytes,
                          std::chrono::duration<double> elapsed) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  struct Unit {
    double bytes;
    const char* name;
  };
  constexpr Unit kByteUnits[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
  const auto total = static_cast<double>(total_bytes);
  const Unit* unit = std::begin(kByteUnits);
  while (unit + 1 != std::end(kByteUnits) && total < unit->bytes) ++unit;
  const int full = static_cast<int>(std::lround(fraction * kBarWidth));
  std::string text = fmt::format("[{:#<{}}{:-<{}}] {:>3.0f} %, {:.1f} of {:.1f} {}", "", full, "",
                                 kBarWidth - full, std::floor(100 * fraction),
                                 fraction * total / unit->bytes, total / unit->bytes, unit->name);
  if (fraction > 0) {
    text += fmt::format(", {:.0f} s left", std::ceil(elapsed.count() * (1 - fraction) / fraction));
  }
  return text;
}

ProgressBar::ProgressBar(std::span<const std::string> paths, Clock::time_point command_start,
                         Output output)
    : shows_(isatty(STDERR_FILENO) != 0 &&
             (output == Output::kNothing || isatty(STDOUT_FILENO) == 0)),
      start_(Clock::now()),
      next_(command_start + kFirst) {
  if (shows_) total_bytes_ = stored_bytes(paths);
  shows_ = shows_ && total_bytes_ != 0;
}

ProgressBar::~ProgressBar() {
  if (!drawn_) return;
  std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

void ProgressBar::look(std::uint64_t bytes_read) {
  calls_left_ = kCallsPerLook;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  drawn_ = true;
  const double fraction = static_cast<double>(bytes_read) / static_cast<double>(total_bytes_);
  const std::string text = kEraseLine + progress_text(fraction, total_bytes_, now - start_);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace ringside::tool
