// ringctl: controls running services and their consumerd.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "tools/ringctl/ringctl_exit_codes.hpp"
#include "tools/ringctl/ringctl_output.hpp"
#include "tools/text/standard_descriptors.hpp"
#include "tools/text/subcommand.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace {

void print_usage(std::FILE* stream) {
  using namespace ringside::tool;
  std::fputs(
      "Usage: ringctl SUBCOMMAND [OPTION]...\n"
      "Controls running services and their consumerd through their shared memory.\n"
      "\n"
      "Subcommands (see ringctl SUBCOMMAND --help):\n",
      stream);
  for (const Subcommand& one : subcommands()) {
    std::fprintf(stream, "  %-12.*s %.*s\n", static_cast<int>(one.name.size()), one.name.data(),
                 static_cast<int>(one.description.size()), one.description.data());
  }
  std::fputs(
      "\n"
      "Options:\n"
      "  -h, --help              show this text\n"
      "      --version           show the version\n"
      "\n"
      "Exit status: 0 success, 1 failed for at least one service (see standard error),\n"
      "2 invalid usage, 3 nothing matches.\n",
      stream);
}

// Accepts options before the subcommand, as in ringctl --shm-dir DIR list.
void put_subcommand_first(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  std::size_t at = 1;
  while (at < words.size()) {
    const std::string_view word = words[at];
    if (word == "--shm-dir" || word == "--service" || word == "--pid") {
      at += 2;
    } else if (word.starts_with("--shm-dir=") || word.starts_with("--service=") ||
               word.starts_with("--pid=") || word == "--json") {
      ++at;
    } else {
      break;
    }
  }
  if (at < words.size()) std::rotate(argv + 1, argv + at, argv + at + 1);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ringside::tool;
  if (!occupy_standard_descriptors()) return kCtlFailed;
  std::signal(SIGPIPE, SIG_IGN);
  put_subcommand_first(argc, argv);
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h") {
    print_usage(stdout);
    return status_after_output(kCtlOk);
  }
  if (word == "--version") {
    std::puts("ringctl " RINGSIDE_VERSION);
    return status_after_output(kCtlOk);
  }
  const Subcommand* const chosen = find_subcommand(word);
  if (chosen == nullptr) {
    if (word.empty()) {
      std::fputs("ringctl: missing subcommand\n", stderr);
    } else {
      std::fprintf(stderr, "ringctl: %s: unknown subcommand\n",
                   ringside::trace::visible(word).c_str());
    }
    print_usage(stderr);
    return kCtlUsage;
  }
  try {
    return status_after_output(chosen->run(argc - 1, argv + 1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ringctl: %s\n", error.what());
    return kCtlFailed;
  }
}
