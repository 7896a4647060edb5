#include "tools/interop/foreign_inputs.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/interop/format_registry.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/ringtrace_format.hpp"

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

// "PATH:OFFSET: MESSAGE".
std::string at(const std::string& name, const ReadOutcome& outcome) {
  return fmt::format("{}:{}: {}", name, outcome.offset, outcome.message);
}

}  // namespace

bool ForeignInputs::take(std::vector<std::string>& paths, const std::string& from) {
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
      return fail(input->name() + ": reading failed: " + input->failure());
    }
    const bool is_own = format == nullptr || format->read == nullptr;
    if (is_own && !is_regular(path)) return spool(*input, taken);
    if (is_own) {
      const std::string whole = format == nullptr ? directory_of_part(path) : std::string();
      if (!whole.empty()) {
        return fail(
            fmt::format("{}: a file of a trace that is a directory; give '{}'", path, whole));
      }
      taken.push_back(path);
      return true;
    }
  }
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  ReadOutcome outcome = directory ? format->read_directory(path, builder, report_)
                                  : format->read(*input, builder, report_);
  const std::string& name = directory ? path : input->name();
  if (outcome.end == ReadEnd::kRefused) return fail(at(name, outcome));
  if (outcome.end == ReadEnd::kDamaged) found_.push_back(damage(at(name, outcome)));
  if (input != nullptr && !input->failure().empty()) {
    found_.push_back(damage(name + ": reading failed: " + input->failure()));
  }
  for (const std::string& warning : outcome.warnings) {
    found_.push_back(note(fmt::format("{}: {}", name, warning)));
  }
  return finish(builder, taken);
}

bool ForeignInputs::listen(const std::string& address, const std::string& from,
                           std::vector<std::string>& paths, const DiagnosticSink& live) {
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  ReadOutcome outcome = find_foreign_format(from)->collect(address, builder, report_, live);
  if (outcome.end == ReadEnd::kRefused) return fail(outcome.message);
  if (outcome.end == ReadEnd::kDamaged) found_.push_back(damage(outcome.message));
  for (const std::string& warning : outcome.warnings) found_.push_back(note(warning));
  return finish(builder, paths) && (!paths.empty() || take_nothing(paths));
}

bool ForeignInputs::finish(TraceBuilder& builder, std::vector<std::string>& taken) {
  std::string error;
  std::vector<std::string> made = builder.finish(&error);
  if (!error.empty()) return fail(std::move(error));
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
    found_.push_back(damage(input.name() + ": reading failed: " + input.failure()));
  }
  return error.empty() || fail(std::move(error));
}

bool ForeignInputs::fail(std::string why) {
  failed_ = true;
  found_ = {failure(std::move(why))};
  return false;
}

std::vector<interop::Diagnostic> ForeignInputs::diagnostics() const {
  std::vector<interop::Diagnostic> all = found_;
  if (failed_) return all;
  const std::vector<interop::Diagnostic> uncarried = report_.diagnostics();
  all.insert(all.end(), uncarried.begin(), uncarried.end());
  return all;
}

}  // namespace ringside::tool
