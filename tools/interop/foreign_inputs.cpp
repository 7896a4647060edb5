#include "tools/interop/foreign_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <poll.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tools/files/path_scheme.hpp"
#include "tools/interop/endpoint_address.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/ringtrace_format.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/reader/trace_paths.hpp"

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

// The entries of a directory that are not Ringside's files: not the hidden ones; in the order of
// their names, with numbers by value.
std::vector<std::string> other_entries(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code code;
  std::filesystem::directory_iterator it(directory, code);
  for (; !code && it != std::filesystem::directory_iterator(); it.increment(code)) {
    const std::string name = it->path().filename().string();
    const bool is_own = trace::unpacked_name(name).ends_with(".ringtrace");
    std::error_code unknown;
    const bool is_readable = it->is_regular_file(unknown) || it->is_directory(unknown);
    if (is_readable && !is_own && !name.starts_with('.')) names.push_back(it->path().string());
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  });
  return names;
}

// By the first bytes, as far as they are here when the sender pauses, or by all that are needed.
const ForeignFormat* recognise_input(InputBytes& input) {
  for (std::size_t before = 0;;) {
    const auto bytes = input.peek_until_pause(ForeignFormat::kFirstBytes);
    const ForeignFormat* const format = recognise_format(bytes);
    const bool is_all = bytes.size() >= ForeignFormat::kFirstBytes || bytes.size() == before;
    if (format != nullptr || is_all) return format;
    before = bytes.size();
    input.peek(before + 1);
  }
}

// "PATH:OFFSET: MESSAGE".
std::string at(const std::string& name, const ReadOutcome& outcome) {
  return fmt::format("{}:{}: {}", name, outcome.offset, outcome.message);
}

}  // namespace

bool ForeignInputs::take(std::vector<std::string>& paths, const std::string& from) {
  std::vector<std::string> taken;
  // Records of several inputs are put in one order, which needs all of them.
  if (paths.size() > 1) publisher_ = LivePublisher({});
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
  if (!scheme_of(path).empty()) {
    return fail(unsupported_scheme(
        path, is_endpoint(path) ? "--listen to receive records there" : "the name of a file"));
  }
  if (path != "-" && is_directory(path)) return take_directory(path, format, taken);
  std::string error;
  const std::unique_ptr<InputBytes> input = InputBytes::open(path, &error);
  if (input == nullptr) {
    taken.push_back(path);  // opening it as a trace reports the reason
    return true;
  }
  show_arrivals(*input);
  if (format == nullptr) format = recognise_input(*input);
  if (format == nullptr && !is_regular(path) && !input->failure().empty()) {
    return fail(input->name() + ": reading failed: " + input->failure());
  }
  const bool is_own = format == nullptr || format->read == nullptr;
  if (is_own && !is_regular(path)) return spool(*input, taken);
  if (!is_own) return convert(input->name(), *format, input.get(), nullptr, taken);
  const std::string whole = format == nullptr ? directory_of_part(path) : std::string();
  if (!whole.empty()) {
    return fail(fmt::format("{}: a file of a trace that is a directory; give '{}'", path, whole));
  }
  taken.push_back(path);
  return true;
}

void ForeignInputs::show_arrivals(InputBytes& input) {
  struct stat status {};
  const bool is_pipe = ::fstat(input.descriptor(), &status) == 0 && !S_ISREG(status.st_mode);
  if (!publisher_.is_live() || !is_pipe) return;
  input.before_reading([this, fd = input.descriptor()](bool may_pause) {
    for (;;) {
      pollfd waited{fd, POLLIN, 0};
      const bool is_here = ::poll(&waited, 1, publisher_.patience_ms()) > 0;
      const bool goes_on = is_here ? publisher_.arrived() : publisher_.paused();
      if (!goes_on) return InputBytes::Wait::kEnd;
      if (is_here) return InputBytes::Wait::kRead;
      if (may_pause) return InputBytes::Wait::kPause;
    }
  });
}

bool ForeignInputs::take_directory(const std::string& path, const ForeignFormat* wanted,
                                   std::vector<std::string>& taken) {
  const ForeignFormat* const whole = wanted != nullptr ? wanted : recognise_directory_format(path);
  if (whole != nullptr && whole->read_directory != nullptr) {
    return convert(path, *whole, nullptr, nullptr, taken);
  }
  std::vector<std::string> own;
  const bool is_listed = trace::expand_trace_path(path, own, nullptr);
  // With errors of its own, reading it as a trace reports the reason.
  if (!is_listed || (wanted != nullptr && wanted->read == nullptr)) {
    taken.push_back(path);
    return true;
  }
  const std::size_t before = taken.size();
  if (!own.empty()) taken.push_back(path);
  std::string unreadable;
  std::vector<std::string> unknown;
  bool any_foreign = false;
  for (const std::string& file : other_entries(path)) {
    if (is_directory(file)) {
      const ForeignFormat* const nested =
          wanted == nullptr ? recognise_directory_format(file) : nullptr;
      if (nested == nullptr) continue;
      any_foreign = true;
      if (!convert(file, *nested, nullptr, &unreadable, taken)) return false;
      continue;
    }
    std::string error;
    const std::unique_ptr<InputBytes> input = InputBytes::open(file, &error);
    if (input == nullptr) {
      found_.push_back(damage(error));
      unreadable = error;
      continue;
    }
    const ForeignFormat* const format =
        wanted != nullptr ? wanted : recognise_format(input->peek(ForeignFormat::kFirstBytes));
    if (format == nullptr) unknown.push_back(file);
    if (format == nullptr || format->read == nullptr) continue;
    any_foreign = true;
    if (!convert(file, *format, input.get(), &unreadable, taken)) return false;
  }
  if (taken.size() == before && !unreadable.empty()) return fail(std::move(unreadable));
  if (!any_foreign && own.empty()) taken.push_back(path);
  if (any_foreign) {
    for (const std::string& file : unknown) {
      found_.push_back(note(file + ": left out: its format is unknown; name it with --from"));
    }
  }
  return true;
}

bool ForeignInputs::convert(const std::string& name, const ForeignFormat& format, InputBytes* input,
                            std::string* refusal, std::vector<std::string>& taken) {
  TraceBuilder& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>(report_));
  if (publisher_.is_live()) publisher_.use(live_records_of(builder));
  ReadOutcome outcome = input == nullptr ? format.read_directory(name, builder, report_)
                                         : format.read(*input, builder, report_);
  if (outcome.end == ReadEnd::kRefused) {
    if (refusal == nullptr) return fail(at(name, outcome));
    *refusal = at(name, outcome);
    found_.push_back(damage(*refusal));
    builders_.pop_back();
    return true;
  }
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
  if (publisher_.is_live()) publisher_.use(live_records_of(builder));
  const ForeignFormat& format = *find_foreign_format(from);
  const auto collect = is_udp(address) ? format.collect_datagrams : format.collect;
  if (collect == nullptr) {
    return fail(fmt::format("{}: {} cannot be received there; use {}", address, from,
                            is_udp(address) ? "tcp://" : "udp://"));
  }
  ReadOutcome outcome = collect(address, builder, report_, {live, publisher_});
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
    std::uint64_t shown = 0;
    // A packed file cannot be followed.
    trace::BlockFrame frame;
    if (publisher_.is_live() &&
        trace::parse_block_frame(input.peek(trace::kBlockHeaderBytes), frame)) {
      publisher_.use({[&shown, file] { return file->bytes() != shown; },
                      [&shown, file](bool /*everything*/, std::string* failure) {
                        shown = file->bytes();
                        return std::vector<std::string>{file->readable_path(failure)};
                      },
                      [] { return std::uint64_t{0}; }, [] {}});
    }
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
