#include "tools/interop/foreign_inputs.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tools/interop/format_registry.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/ringtrace_format.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"

namespace ringside::tool {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Whether the input can be read more than once.
bool is_regular(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// The directory of a file, if the two are a trace of a format of directories, such as CTF; else
// empty.
std::string directory_of_part(const std::string& path) {
  if (path.find(".ringtrace") != std::string::npos) return {};
  const std::size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return recognise_directory_format(directory) == nullptr ? std::string() : directory;
}

// Each imported file stays open twice, so this raises the limit as far as the system permits.
void allow_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// "PATH:OFFSET: MESSAGE".
std::string at(const std::string& name, const ReadOutcome& outcome) {
  return fmt::format("{}:{}: {}", name, outcome.offset, outcome.message);
}

}  // namespace

bool ForeignInputs::take(std::vector<std::string>& paths, const std::string& from) {
  allow_open_files();
  std::vector<std::string> taken;
  for (const std::string& path : paths) {
    if (!take_one(path, from, taken)) return false;
  }
  if (taken.empty() && !paths.empty() && !take_nothing(taken)) return false;
  paths = std::move(taken);
  return true;
}

// If all inputs end without an error but have no records, the result is an empty trace, not a
// missing one.
bool ForeignInputs::take_nothing(std::vector<std::string>& taken) {
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  builder.add_process({});
  return finish(builder, taken);
}

bool ForeignInputs::take_one(const std::string& path, const std::string& from,
                             std::vector<std::string>& taken) {
  const ForeignFormat* format = from.empty() ? nullptr : find_foreign_format(from);
  const bool directory = path != "-" && is_directory(path);
  std::unique_ptr<InputBytes> input;
  if (directory) {
    if (format == nullptr) format = recognise_directory_format(path);
    if (format == nullptr || format->read_directory == nullptr) {
      taken.push_back(path);
      return true;
    }
  } else {
    std::string error;
    input = InputBytes::open(path, &error);
    if (input == nullptr) {
      taken.push_back(path);  // opening it as a trace reports the reason
      return true;
    }
    if (format == nullptr) format = recognise_format(input->peek(ForeignFormat::kFirstBytes));
    if (format == nullptr && !is_regular(path) && !input->failure().empty()) {
      tool::complain(input->name() + ": reading failed: " + input->failure());
      return false;
    }
    const bool is_own = format == nullptr || format->read == nullptr;
    if (is_own && !is_regular(path)) return spool(*input, taken);
    if (is_own) {
      const std::string whole = format == nullptr ? directory_of_part(path) : std::string();
      if (!whole.empty()) {
        tool::complain(
            fmt::format("{}: a file of a trace that is a directory; give '{}'", path, whole));
        return false;
      }
      taken.push_back(path);
      return true;
    }
  }
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  ReadOutcome outcome = directory ? format->read_directory(path, builder, report_)
                                  : format->read(*input, builder, report_);
  const std::string& name = directory ? path : input->name();
  if (outcome.end == ReadEnd::kRefused) {
    tool::complain(at(name, outcome));
    return false;
  }
  if (outcome.end == ReadEnd::kDamaged) {
    damaged_ = true;
    notes_.push_back(at(name, outcome));
  }
  if (input != nullptr && !input->failure().empty()) {
    damaged_ = true;
    notes_.push_back(name + ": reading failed: " + input->failure());
  }
  for (const std::string& warning : outcome.warnings) {
    notes_.push_back(fmt::format("{}: {}", name, warning));
  }
  return finish(builder, taken);
}

bool ForeignInputs::listen(const std::string& address, const std::string& from,
                           std::vector<std::string>& paths) {
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  ReadOutcome outcome = find_foreign_format(from)->collect(address, builder, report_);
  if (outcome.end == ReadEnd::kRefused) {
    tool::complain(outcome.message);
    return false;
  }
  damaged_ = damaged_ || outcome.end == ReadEnd::kDamaged;
  if (!outcome.message.empty()) notes_.push_back(outcome.message);
  for (const std::string& warning : outcome.warnings) notes_.push_back(warning);
  return finish(builder, paths) && (!paths.empty() || take_nothing(paths));
}

bool ForeignInputs::finish(TraceBuilder& builder, std::vector<std::string>& taken) {
  std::string error;
  std::vector<std::string> made = builder.finish(&error);
  if (!error.empty()) {
    tool::complain(error);
    return false;
  }
  taken.insert(taken.end(), std::make_move_iterator(made.begin()),
               std::make_move_iterator(made.end()));
  return true;
}

bool ForeignInputs::spool(InputBytes& input, std::vector<std::string>& taken) {
  std::string error;
  OutputFile* const file = spooled_.emplace_back(OutputFile::create_unnamed(&error)).get();
  if (file != nullptr) {
    for (auto bytes = input.peek(1); !bytes.empty(); bytes = input.peek(1)) {
      file->write(bytes);
      input.skip(bytes.size());
    }
    taken.push_back(file->readable_path(&error));
  }
  if (!input.failure().empty()) {
    damaged_ = true;
    notes_.push_back(input.name() + ": reading failed: " + input.failure());
  }
  if (!error.empty()) tool::complain(error);
  return error.empty();
}

int ForeignInputs::complain() const {
  for (const std::string& note : notes_) tool::complain(note);
  for (const std::string& line : report_.lines()) tool::complain(line);
  return damaged_ ? kExitDamaged : kExitOk;
}

}  // namespace ringside::tool
