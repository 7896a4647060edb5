// ringrun: runs a program with a private consumerd and prints its records.

#include <cerrno>
#include <exception>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/ringrun/closed_streams.hpp"
#include "tools/ringrun/directory_cleaner.hpp"
#include "tools/ringrun/private_directories.hpp"
#include "tools/ringrun/process_end.hpp"
#include "tools/ringrun/ringrun_exit_codes.hpp"
#include "tools/ringrun/run_message.hpp"
#include "tools/ringrun/run_options.hpp"
#include "tools/ringrun/signal_inbox.hpp"
#include "tools/ringrun/traced_program.hpp"
#include "tools/ringrun/tracing_processes.hpp"
#include "tools/text/standard_descriptors.hpp"

namespace {

using namespace ringside::tool;

ProcessEnd failed(const std::string& why) {
  report(why);
  return {.status = kRunFailed};
}

ProcessEnd not_executed(const std::string& program, int error) {
  report(fmt::format("cannot run '{}': {}; {}", program, reason_of(error),
                     error == ENOENT
                         ? "check the path, or write ./NAME for a program of this folder"
                         : "check that it is an executable file"));
  return {.status = error == ENOENT ? kRunNotFound : kRunNotExecutable};
}

// An operator ended it on purpose, or the reader of its output is gone.
bool is_expected(const ProcessEnd& end) {
  return end.signal == 0 || end.signal == SIGINT || end.signal == SIGPIPE;
}

ProcessEnd run_traced(const RunOptions& options, const ClosedStreams& closed,
                      const SignalInbox& inbox, const PrivateDirectories& directories, int lease) {
  TracingProcesses tracing(directories, inbox, lease);
  const int output = options.records_to_stdout ? STDOUT_FILENO : STDERR_FILENO;
  if (!tracing.start(options, !closed.has(output)) || !tracing.wait_until_ready()) {
    const int signal = pending_end_signal();
    tracing.kill_all();
    return signal != 0 ? ProcessEnd{.signal = signal} : ProcessEnd{.status = kRunFailed};
  }
  TracedProgram program;
  if (const int error = program.start(options, directories.shared_memory, closed, inbox)) {
    tracing.kill_all();
    return not_executed(options.program.front(), error);
  }
  const ProcessEnd end = program.wait(inbox, [&tracing] { tracing.check(); });
  tracing.finish();
  if (!is_expected(end)) {
    report(
        fmt::format("'{}' (process {}) {}", options.program.front(), program.pid(), text_of(end)));
  }
  return end;
}

ProcessEnd run(const RunOptions& options, const ClosedStreams& closed) {
  std::string why;
  SignalInbox inbox;
  if (!inbox.open(&why)) return failed(why);
  const auto directories = create_private_directories(options.keep, &why);
  if (!directories) return failed(why);
  DirectoryCleaner cleaner;
  if (!cleaner.start(*directories, &why)) return failed(why);
  const ProcessEnd end = run_traced(options, closed, inbox, *directories, cleaner.lease());
  cleaner.finish();
  return end;
}

}  // namespace

int main(int argc, char** argv) {
  const ClosedStreams closed;
  if (!occupy_standard_descriptors()) return kRunFailed;
  try {
    int status = kRunOk;
    const auto options = parse_run_options(argc, argv, &status);
    if (options) end_like(run(*options, closed));
    if (status == kRunOk && !flush_standard_output()) {
      return failed("cannot write: " + reason_of(errno)).status;
    }
    return status;
  } catch (const std::exception& error) {
    return failed(error.what()).status;
  }
}
