#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shm-layout/session_file.hpp"
#include "tools/live/session_file.hpp"
#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/ringctl/session_command.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/error_text.hpp"
#include "trace-format/condition/level_name.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr auto kStartPause = std::chrono::milliseconds(5);
constexpr int kMostDefaultNames = 1000;

std::optional<std::uint64_t> parse_size(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return {};
  const std::string unit(end, text.data() + text.size());
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (shift < 0 || number > UINT64_MAX >> shift) return {};
  return number << shift;
}

// On an invalid text reports that and returns false.
bool read_size(const char* option, const std::string& text, nlohmann::ordered_json* request,
               const char* member) {
  if (text.empty()) return true;
  const auto bytes = parse_size(text);
  if (bytes) {
    (*request)[member] = *bytes;
    return true;
  }
  complain(std::string(option) + " " + text + ": invalid size; use 500000, 64K, 100M or 2G");
  return false;
}

// Creates the directory if it is missing, and makes its path absolute.
bool prepare_output(std::string* output, std::string* why) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(*output, error).lexically_normal();
  // Not writable for others, whatever the umask is.
  const mode_t before = umask(027);
  std::filesystem::create_directories(path, error);
  umask(before);
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    *why = "output directory " + *output + ": " + (error ? error.message() : error_text(errno)) +
           "; choose another directory";
    return false;
  }
  *output = real.get();
  return true;
}

void add_texts(nlohmann::ordered_json* request, const char* member,
               const std::vector<std::string>& texts) {
  if (!texts.empty()) (*request)[member] = texts;
}

std::uint64_t start_time_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

// False after a message.
bool fill_request(SessionOptions* options, std::optional<std::uint64_t> limit_ns,
                  nlohmann::ordered_json* request) {
  std::string why;
  if (!options->level.empty() && !trace::level_of_name(options->level)) {
    complain("--level " + options->level + ": invalid level; use one of " + trace::level_names() +
             ", in upper or lower case");
    return false;
  }
  if (options->output.empty()) {
    complain("session start requires --output DIR, the directory of the session's files");
    return false;
  }
  if (!options->statements.prepare(&why) || !prepare_output(&options->output, &why)) {
    complain(why);
    return false;
  }
  const trace::StatementPattern& pattern = options->statements.pattern();
  (*request)["uuid"] = random_uuid_text();
  (*request)["output"] = options->output;
  add_texts(request, "service", options->control.services.services);
  if (options->control.services.pid) (*request)["pid"] = *options->control.services.pid;
  add_texts(request, "site", pattern.sites);
  add_texts(request, "file", pattern.files);
  add_texts(request, "function", pattern.functions);
  add_texts(request, "category", pattern.categories);
  add_texts(request, "keyword", pattern.keywords);
  if (!pattern.level.empty()) (*request)["of_level"] = pattern.level;
  if (!pattern.regex.empty()) (*request)["regex"] = pattern.regex;
  if (!options->level.empty()) (*request)["level"] = options->level;
  if (!options->where.empty()) (*request)["where"] = options->where;
  if (limit_ns) (*request)["end_unix_ns"] = start_time_ns() + *limit_ns;
  return read_size("--rotate-bytes", options->rotate_bytes, request, "rotate_bytes") &&
         read_size("--buffers", options->buffers, request, "buffer_bytes");
}

// consumerd's answer to this request; nothing if there is none in time.
std::optional<SessionAnswer> wait_for_answer(const SessionFile& file, const std::string& uuid,
                                             std::uint64_t timeout_ns) {
  const auto deadline = steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  for (;;) {
    auto answer = file.answer();
    // A request that consumerd cannot read has no uuid for it.
    const bool ours =
        answer && (answer->uuid == uuid || (answer->uuid.empty() && !file.is_requested()));
    if (ours && answer->state != "starting") return answer;
    if (steady_clock::now() >= deadline) return {};
    std::this_thread::sleep_for(kStartPause);
  }
}

bool choose_name(SessionOptions* options) {
  if (!options->name.empty()) {
    if (shm::is_session_name(options->name)) return true;
    complain(options->name + ": invalid name; use at most 32 letters, digits, _ and -");
    return false;
  }
  for (int i = 1; i <= kMostDefaultNames; ++i) {
    options->name = fmt::format("session-{}", i);
    if (!SessionFile(options->control.services.shm_dir, options->name).is_requested()) return true;
  }
  complain("too many sessions; stop some, or give a name");
  return false;
}

}  // namespace

int start_session(SessionOptions& options) {
  if (!choose_name(&options)) return kCtlUsage;
  std::optional<std::uint64_t> limit_ns;
  if (!options.limit.empty()) {
    limit_ns = parse_duration_ns(options.limit);
    if (!limit_ns || *limit_ns == 0) {
      complain("--for " + options.limit +
               ": invalid duration; use a number and a unit, such as 500ms, 30s or 10m");
      return kCtlUsage;
    }
  }
  nlohmann::ordered_json request;
  if (!fill_request(&options, limit_ns, &request)) return kCtlUsage;
  const std::string& shm_dir = options.control.services.shm_dir;
  SessionFile file(shm_dir, options.name);
  std::string why;
  if (!file.request(request, &why)) {
    complain(why);
    return kCtlFailed;
  }
  const auto answer = wait_for_answer(file, request["uuid"], options.timeout_ns);
  if (!answer || answer->state == "refused") {
    bool existed = false;
    file.withdraw(&existed, &why);
    complain("session " + options.name + ": " +
             (answer ? answer->why
                     : "no consumerd of this user answers in " + shm_dir +
                           "; run ringctl as the user of consumerd, and see ringctl doctor"));
    if (answer) file.forget_answer();
    return kCtlFailed;
  }
  if (options.control.json) {
    nlohmann::ordered_json object;
    object["session"] = options.name;
    object["output"] = options.output;
    if (limit_ns) object["for_ns"] = *limit_ns;
    say_json(object);
  } else {
    say(fmt::format("{}: writes to {}{}", options.name, options.output,
                    limit_ns ? " for " + duration_text(*limit_ns) : ""));
  }
  return kCtlOk;
}

}  // namespace ringside::tool
