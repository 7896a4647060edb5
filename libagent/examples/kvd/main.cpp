// kvd: a small key-value server that speaks the Redis protocol, traced with Ringside.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <optional>
#include <string_view>

#include "libagent/examples/kvd/decimal.hpp"
#include "libagent/examples/kvd/limits.hpp"
#include "libagent/examples/kvd/server.hpp"

namespace {

constexpr const char* kUsage =
    "usage: kvd [--bind ADDRESS] [--port N] [--threads N] [--verbose]\n"
    "\n"
    "  --bind ADDRESS  loopback address to listen on (default 127.0.0.1)\n"
    "  --port N        port to listen on, 0 for any free one (default 6379)\n"
    "  --threads N     worker threads, 1 to 64 (default 2)\n"
    "  --verbose       log start and exit on standard error\n"
    "  --help          print this\n";

int fail(const kvd::Failure& failure) {
  std::fprintf(stderr, "kvd: %s\nkvd: remedy: %s\n", failure.what.c_str(), failure.remedy.c_str());
  return EXIT_FAILURE;
}

std::optional<std::int64_t> number_between(const char* text, std::int64_t least,
                                           std::int64_t most) {
  const std::optional<std::int64_t> value = kvd::parse_decimal(text);
  if (!value || *value < least || *value > most) return std::nullopt;
  return value;
}

kvd::Failure bad_number(std::string_view option, const char* text, std::string_view range) {
  return {std::string(option) + " " + text + " is not a number from " + std::string(range),
          "see kvd --help"};
}

enum class Parsed { kRun, kHelp, kBad };

Parsed parse_options(int argc, char** argv, kvd::ServerOptions& options, kvd::Failure& failure) {
  enum Key : int { kBind = 256, kPort, kThreads, kVerbose, kHelp };
  static constexpr std::array<option, 6> kLong{{{"bind", required_argument, nullptr, kBind},
                                                {"port", required_argument, nullptr, kPort},
                                                {"threads", required_argument, nullptr, kThreads},
                                                {"verbose", no_argument, nullptr, kVerbose},
                                                {"help", no_argument, nullptr, kHelp},
                                                {nullptr, 0, nullptr, 0}}};
  for (;;) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no second thread yet
    const int key = ::getopt_long(argc, argv, "", kLong.data(), nullptr);
    if (key == -1) break;
    switch (key) {
      case kBind:
        options.bind = optarg;
        break;
      case kPort: {
        const auto port = number_between(optarg, 0, 65535);
        if (!port) {
          failure = bad_number("--port", optarg, "0 to 65535");
          return Parsed::kBad;
        }
        options.port = static_cast<std::uint16_t>(*port);
        break;
      }
      case kThreads: {
        const auto threads = number_between(optarg, 1, kvd::kMaxThreads);
        if (!threads) {
          failure = bad_number("--threads", optarg, "1 to " + std::to_string(kvd::kMaxThreads));
          return Parsed::kBad;
        }
        options.threads = static_cast<unsigned>(*threads);
        break;
      }
      case kVerbose:
        options.verbose = true;
        break;
      case kHelp:
        return Parsed::kHelp;
      default:
        // getopt_long has reported the error.
        failure = {"the command line is not understood", "see kvd --help"};
        return Parsed::kBad;
    }
  }
  if (optind < argc) {
    failure = {std::string("unexpected argument ") + argv[optind], "see kvd --help"};
    return Parsed::kBad;
  }
  return Parsed::kRun;
}

}  // namespace

int main(int argc, char** argv) {
  kvd::ServerOptions options;
  kvd::Failure wrong;
  switch (parse_options(argc, argv, options, wrong)) {
    case Parsed::kBad:
      return fail(wrong);
    case Parsed::kHelp:
      std::fputs(kUsage, stdout);
      return EXIT_SUCCESS;
    case Parsed::kRun:
      break;
  }
  kvd::Server server(options);
  if (const auto failure = server.start()) return fail(*failure);
  if (options.verbose) {
    std::fprintf(stderr, "kvd: %u worker threads serve %s\n", options.threads,
                 server.address().c_str());
  }
  // The starter of kvd waits for this line, also through a pipe.
  if (std::printf("kvd: listening on %s\n", server.address().c_str()) < 0 ||
      std::fflush(stdout) != 0) {
    return fail({"cannot write to standard output", "start kvd with a standard output"});
  }
  if (const auto failure = server.run()) return fail(*failure);
  return EXIT_SUCCESS;
}
