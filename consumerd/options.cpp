#include "consumerd/options.hpp"

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fnmatch.h>
#include <getopt.h>
#include <memory>
#include <sched.h>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/option_values.hpp"

namespace ringside::consumer {
namespace {

constexpr char kUsage[] =
    "Usage: consumerd --output DIR [OPTION]...\n"
    "Writes what services trace into shared memory to trace files (*.ringtrace) in DIR.\n"
    "\n"
    "  -o, --output DIR       where the trace files go (must exist)\n"
    "      --shm-dir DIR      where the services' segments are (default /dev/shm)\n"
    "      --service GLOB     only services of this name; may be given several times\n"
    "      --rotate-bytes SIZE\n"
    "                         go on in a new file when one has SIZE bytes (or K, M, G)\n"
    "      --rotate-after DURATION\n"
    "                         the same when it is that old: 30s, 10m, 1h\n"
    "      --keep-files N     remove the oldest closed files of a service beyond N\n"
    "      --keep-bytes SIZE  the same beyond SIZE bytes\n"
    "      --pack             pack closed files with zstd, in the background (*.ringtrace.zst)\n"
    "      --io KIND          auto (default), uring or pwrite\n"
    "      --cpu N            run on this processor only\n"
    "      --once             drain what is there, finish the files of ended services, exit\n"
    "  -v, --verbose          say more on standard error\n"
    "  -h, --help             this text\n"
    "      --version          the version\n"
    "\n"
    "SIGHUP: go on in new files.\n"
    "SIGTERM and SIGINT: drain, finish the files, exit with status 0.\n"
    "Exit status: 0 done, 1 failure, 2 wrong usage, 3 another consumerd drains these segments.\n";

enum LongOnly {
  kShmDir = 256,
  kService,
  kRotateBytes,
  kRotateAfter,
  kKeepFiles,
  kKeepBytes,
  kPack,
  kIo,
  kCpu,
  kOnce,
  kVersion
};

constexpr option kOptions[] = {{"output", required_argument, nullptr, 'o'},
                               {"shm-dir", required_argument, nullptr, kShmDir},
                               {"service", required_argument, nullptr, kService},
                               {"rotate-bytes", required_argument, nullptr, kRotateBytes},
                               {"rotate-after", required_argument, nullptr, kRotateAfter},
                               {"keep-files", required_argument, nullptr, kKeepFiles},
                               {"keep-bytes", required_argument, nullptr, kKeepBytes},
                               {"pack", no_argument, nullptr, kPack},
                               {"io", required_argument, nullptr, kIo},
                               {"cpu", required_argument, nullptr, kCpu},
                               {"once", no_argument, nullptr, kOnce},
                               {"verbose", no_argument, nullptr, 'v'},
                               {"help", no_argument, nullptr, 'h'},
                               {"version", no_argument, nullptr, kVersion},
                               {nullptr, 0, nullptr, 0}};

std::optional<Options> refuse(const std::string& what, int* exit_code) {
  std::fprintf(stderr, "consumerd: %s\nTry 'consumerd --help'.\n", what.c_str());
  *exit_code = kExitUsage;
  return {};
}

bool parse_io(std::string_view text, IoChoice* io) {
  if (text == "auto") {
    *io = IoChoice::kAuto;
  } else if (text == "uring") {
    *io = IoChoice::kUring;
  } else if (text == "pwrite") {
    *io = IoChoice::kPwrite;
  } else {
    return false;
  }
  return true;
}

bool parse_cpu(std::string_view text, int* cpu) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *cpu);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && *cpu >= 0 &&
         *cpu < CPU_SETSIZE;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int* exit_code) {
  Options options;
  *exit_code = kExitOk;
  for (;;) {
    const int c =
        getopt_long(argc, argv, "o:vh", kOptions, nullptr);  // NOLINT(concurrency-mt-unsafe)
    if (c == -1) break;
    switch (c) {
      case 'o':
        options.output_dir = optarg;
        break;
      case kShmDir:
        options.shm_dir = optarg;
        break;
      case kService:
        options.services.emplace_back(optarg);
        break;
      case kRotateBytes:
        if (const auto bytes = parse_size(optarg)) {
          options.rotation.bytes = *bytes;
          break;
        }
        return refuse("--rotate-bytes must be a size like 500000, 64K, 100M or 2G", exit_code);
      case kRotateAfter:
        if (const auto duration = parse_duration(optarg)) {
          options.rotation.after = *duration;
          break;
        }
        return refuse("--rotate-after must be a duration like 30s, 10m or 1h", exit_code);
      case kKeepFiles:
        if (const auto files = parse_count(optarg)) {
          options.keep.files = *files;
          break;
        }
        return refuse("--keep-files must be a number, 1 or more", exit_code);
      case kKeepBytes:
        if (const auto bytes = parse_size(optarg)) {
          options.keep.bytes = *bytes;
          break;
        }
        return refuse("--keep-bytes must be a size like 500000, 64K, 100M or 2G", exit_code);
      case kPack:
        options.keep.pack = true;
        break;
      case kIo:
        if (!parse_io(optarg, &options.io)) {
          return refuse("--io must be auto, uring or pwrite", exit_code);
        }
        break;
      case kCpu:
        if (!parse_cpu(optarg, &options.cpu)) {
          return refuse("--cpu must be the number of a processor", exit_code);
        }
        break;
      case kOnce:
        options.once = true;
        break;
      case 'v':
        options.verbose = true;
        break;
      case 'h':
        std::fputs(kUsage, stdout);
        return {};
      case kVersion:
        std::puts("consumerd " RINGSIDE_VERSION);
        return {};
      default:
        return refuse("wrong usage", exit_code);
    }
  }
  if (optind < argc) return refuse(std::string("unexpected argument ") + argv[optind], exit_code);
  if (options.output_dir.empty()) return refuse("--output DIR is missing", exit_code);
  // The staging file outlives this process and its working directory: it needs absolute paths.
  const std::unique_ptr<char, decltype(&std::free)> absolute(
      realpath(options.output_dir.c_str(), nullptr), &std::free);
  if (absolute == nullptr) {
    return refuse("output directory " + options.output_dir + ": " +
                      std::strerror(errno) +  // NOLINT(concurrency-mt-unsafe)
                      "; create it first",
                  exit_code);
  }
  options.output_dir = absolute.get();
  struct stat info {};
  if (stat(absolute.get(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return refuse("output " + options.output_dir + " is not a directory", exit_code);
  }
  if (access(absolute.get(), W_OK | X_OK) != 0) {
    return refuse("output directory " + options.output_dir + ": " +
                      std::strerror(errno) +  // NOLINT(concurrency-mt-unsafe)
                      "; make it writable for this user",
                  exit_code);
  }
  return options;
}

bool serves(const Options& options, const std::string& service) {
  if (options.services.empty()) return true;
  for (const std::string& glob : options.services) {
    if (fnmatch(glob.c_str(), service.c_str(), 0) == 0) return true;
  }
  return false;
}

}  // namespace ringside::consumer
