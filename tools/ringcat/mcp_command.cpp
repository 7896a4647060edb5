#include "tools/ringcat/mcp_command.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/files/path_scheme.hpp"
#include "tools/processes/bounded_command.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/report/mcp_server.hpp"
#include "tools/report/mcp_session.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

constexpr std::size_t kUsualAnswerKib = 64;

// Before the first question, because a client shows what happens at the start. Empty if `path` can
// be read.
std::string fault_of(const std::string& path) {
  if (path == "-") return "-: standard input has the questions; name files or directories";
  // A server is asked later.
  if (!scheme_of(path).empty() || ::access(path.c_str(), R_OK) == 0) return {};
  return path + ": " + std::generic_category().message(errno) +
         "; name trace files or directories that this user can read";
}

}  // namespace

int run_mcp(int argc, char** argv) {
  std::vector<std::string> paths;
  CommandBounds bounds;
  std::size_t most_kib = kUsualAnswerKib;
  int timeout_s = bounds.timeout_ms / 1000;
  CLI::App app(
      "Answers questions of programs about traces, by the Model Context Protocol on standard "
      "streams. It only reads.",
      "ringcat mcp");
  app.add_option("PATH", paths, "trace files, or directories of them")->required();
  app.add_option("--answer-kib", most_kib,
                 "the most that an answer has: what does not fit is left out")
      ->type_name("KIB")
      ->check(CLI::Range(4, 1 << 14))
      ->capture_default_str();
  app.add_option("--timeout-s", timeout_s, "the longest that an answer takes")
      ->type_name("S")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.footer(
      "A client starts it as a command, for example: {\"command\": \"ringcat\", \"args\": "
      "[\"mcp\",\n\"/var/lib/ringside\"]}. It reads the traces again for each question.\n"
      "\n"
      "Questions that were asked before the end of standard input are answered. A signal "
      "(SIGTERM,\n"
      "SIGINT, SIGHUP) and a closed standard output end it, and the questions that run, at once.\n"
      "\n"
      "Exit status: 0 when the client or a signal ended it, 2 invalid usage, 3 a path cannot be\n"
      "read, or an answer could not be written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  for (const std::string& each : paths) {
    const std::string fault = fault_of(each);
    if (fault.empty()) continue;
    complain(fault);
    return kExitUnreadable;
  }
  bounds.timeout_ms = 1000 * timeout_s;
  std::array<char, 4096> program;
  const ssize_t length = ::readlink(kThisProgram, program.data(), program.size());
  const std::string own(length > 0 ? std::string(program.data(), static_cast<std::size_t>(length))
                                   : std::string(kThisProgram));
  const McpSession session(RINGSIDE_VERSION, most_kib << 10);
  McpServer server(session, {own, paths, bounds});
  return server.run() ? kExitOk : exit_code_of_failed_output(errno);
}

}  // namespace ringside::tool
