#include "tools/ringcat/mcp_command.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/report/bounded_command.hpp"
#include "tools/report/mcp_session.hpp"
#include "tools/text/help_format.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

// Calls take(line) for each line of standard input, until it returns false. A line that exceeds the
// bound comes as it is at that point, and its rest is left out.
template <class Take>
void for_each_input_line(std::size_t most_bytes, Take&& take) {
  std::string line;
  bool is_too_long = false;
  std::array<char, 16'384> buffer;
  while (true) {
    const ssize_t bytes = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(bytes))) {
      if (c != '\n') {
        is_too_long = is_too_long || line.size() > most_bytes;
        if (!is_too_long) line += c;
        continue;
      }
      if (!line.empty() && !take(line)) return;
      line.clear();
      is_too_long = false;
    }
  }
}

}  // namespace

int run_mcp(int argc, char** argv) {
  std::vector<std::string> paths;
  CommandBounds bounds;
  std::size_t most_kib = bounds.most_output_bytes >> 10;
  int timeout_s = bounds.timeout_ms / 1000;
  CLI::App app(
      "Answers questions of programs about traces, by the Model Context Protocol on standard "
      "streams. It only reads.",
      "ringcat mcp");
  app.add_option("PATH", paths, "trace files, or directories of them")->required();
  app.add_option("--answer-kib", most_kib, "the most that an answer has")
      ->type_name("KIB")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--timeout-s", timeout_s, "the longest that an answer takes")
      ->type_name("S")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.footer(
      "A client starts it as a command, for example: {\"command\": \"ringcat\", \"args\": "
      "[\"mcp\",\n\"/var/lib/ringside\"]}. It reads the traces again for each question.\n"
      "\n"
      "Exit status: 0 at the end of standard input, 2 invalid usage, 3 an answer could not be\n"
      "written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  bounds.most_output_bytes = most_kib << 10;
  bounds.timeout_ms = 1000 * timeout_s;
  std::array<char, 4096> program;
  const ssize_t length = ::readlink(kThisProgram, program.data(), program.size());
  const std::string path(length > 0 ? std::string(program.data(), static_cast<std::size_t>(length))
                                    : std::string(kThisProgram));
  McpSession session(
      paths, RINGSIDE_VERSION,
      [&](const std::vector<std::string>& arguments, CommandResult& result, std::string* why) {
        return run_bounded(path, arguments, bounds, result, why);
      });
  int exit_code = kExitOk;
  for_each_input_line(McpSession::kMostLineBytes, [&](const std::string& line) {
    const std::optional<std::string> answer = session.answer(line);
    if (!answer || write_output(*answer + "\n")) return true;
    exit_code = exit_code_of_failed_output(errno);
    return false;
  });
  return exit_code;
}

}  // namespace ringside::tool
