#include "libagent/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>

#include <sys/auxv.h>

#include "libagent/segment_access.hpp"
#include "libagent/standard_error.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMaxBlockTimeoutMs = 3'600'000;
constexpr std::uint32_t kMaxCostSampling = 1'000'000'000;

const char* variable(const char* name) {
  // A program with more privileges than its caller (set-user-id, file capabilities) gets null: its
  // caller must not choose where and how it creates files. Read once, before the service can have
  // reason to change its environment concurrently.
  const char* value = secure_getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void reject(const char* name, std::string_view value, std::string_view wanted,
            std::string_view kept) {
  report(std::string(name) + "=" + std::string(value) + " is not " + std::string(wanted) +
         "; using " + std::string(kept));
}

template <class Number>
void read_number(const char* name, Number min, Number max, std::string_view wanted,
                 Number* option) {
  const char* text = variable(name);
  if (text == nullptr) return;
  Number value{};
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, value);
  if (result.ec != std::errc() || result.ptr != end || value < min || value > max) {
    reject(name, text, wanted, std::to_string(*option));
    return;
  }
  *option = value;
}

template <class T>
struct Choice {
  std::string_view name;
  T value;
};

template <class T>
void read_choice(const char* name, std::span<const Choice<T>> choices, T* option) {
  const char* text = variable(name);
  if (text == nullptr) return;
  std::string wanted;
  std::string_view kept;
  for (const Choice<T>& choice : choices) {
    if (strcasecmp(std::string(choice.name).c_str(), text) == 0) {
      *option = choice.value;
      return;
    }
    wanted += (wanted.empty() ? "one of " : ", ") + std::string(choice.name);
    if (choice.value == *option) kept = choice.name;
  }
  reject(name, text, wanted, kept.empty() ? "the default" : kept);
}

constexpr Choice<Overflow> kOverflows[] = {
    {"block", Overflow::block}, {"drop", Overflow::drop}, {"overwrite", Overflow::overwrite}};
constexpr Choice<TruncationGuard> kGuards[] = {{"on", TruncationGuard::on},
                                               {"off", TruncationGuard::off}};
constexpr Choice<Clock> kClocks[] = {{"tsc", Clock::tsc}, {"consumer", Clock::consumer}};
constexpr Choice<Level> kLevels[] = {{"trace", Level::trace},       {"debug", Level::debug},
                                     {"info", Level::info},         {"notice", Level::notice},
                                     {"warning", Level::warning},   {"error", Level::error},
                                     {"critical", Level::critical}, {"off", Level::off}};

// A number of bytes, or of K, M or G (powers of 1024), as everywhere in Ringside.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const unsigned shift =
      unit == std::string_view::npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  if (shift != 0) text.remove_suffix(1);
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, count);
  if (result.ec != std::errc() || result.ptr != end || count > UINT64_MAX >> shift) return {};
  return count << shift;
}

void read_ring_bytes(Options* options) {
  const char* text = variable("RINGSIDE_RING_BYTES");
  if (text == nullptr) return;
  const std::optional<std::uint64_t> bytes = parse_bytes(text);
  if (!bytes || !shm::is_ring_size(*bytes)) {
    reject("RINGSIDE_RING_BYTES", text,
           "a power of two between 65536 (64K) and 4294967296 (4G), such as 1M",
           std::to_string(options->ring_bytes));
    return;
  }
  options->ring_bytes = *bytes;
}

constexpr std::string_view kModes =
    "one of 0600, 0640, 0644, 0660, 0664 (other users must not write)";

bool is_mode(std::uint32_t mode) {
  return (mode & 0600U) == 0600 && (mode & ~0664U) == 0 && (mode & 0060U) != 0020;
}

std::string octal(std::uint32_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 8).ptr;
  return "0" + std::string(digits, end);
}

void read_mode(Options* options) {
  const char* text = variable("RINGSIDE_MODE");
  if (text == nullptr) return;
  std::uint32_t mode = 0;
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, mode, 8);
  if (result.ec != std::errc() || result.ptr != end || !is_mode(mode)) {
    return reject("RINGSIDE_MODE", text, kModes, octal(options->mode));
  }
  options->mode = mode;
}

// Resolves a name to a number once: /etc/group may be out of reach later (chroot).
void read_group(Options* options) {
  if (const char* group = variable("RINGSIDE_GROUP"); group != nullptr) options->group = group;
  if (options->group.empty()) return;
  if ((options->mode & 0060U) == 0) {
    report("group " + options->group + " has no effect with mode " + octal(options->mode) +
           "; set RINGSIDE_MODE=0660 to give it access");
  }
  if (const std::optional<gid_t> number = group_number(options->group)) {
    options->group = std::to_string(*number);
  }
}

std::string executable_name() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  // Without /proc: the program name given by the caller, unless the caller is not trusted.
  if (length <= 0) {
    return getauxval(AT_SECURE) != 0 ? "set-user-id" : program_invocation_short_name;
  }
  std::string_view name(path, static_cast<std::size_t>(length));
  const std::size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

}  // namespace

bool disabled_by_environment() {
  const char* text = variable("RINGSIDE_DISABLE");
  if (text == nullptr || std::strcmp(text, "0") == 0) return false;
  if (std::strcmp(text, "1") == 0) return true;
  reject("RINGSIDE_DISABLE", text, "0 or 1", "0");
  return false;
}

Options apply_environment(Options options) {
  const Options defaults;
  if (!shm::is_ring_size(options.ring_bytes)) {
    report("ring_bytes=" + std::to_string(options.ring_bytes) +
           " is not a power of two between 65536 and 4294967296; using " +
           std::to_string(defaults.ring_bytes));
    options.ring_bytes = defaults.ring_bytes;
  }
  if (options.max_threads == 0 || options.max_threads > shm::kMaxRings) {
    report("max_threads=" + std::to_string(options.max_threads) +
           " is not between 1 and 65536; using " + std::to_string(defaults.max_threads));
    options.max_threads = defaults.max_threads;
  }
  if (options.block_timeout.count() < 0 || options.block_timeout.count() > kMaxBlockTimeoutMs) {
    report("block_timeout=" + std::to_string(options.block_timeout.count()) +
           " ms is not between 0 and 3600000; using " +
           std::to_string(defaults.block_timeout.count()));
    options.block_timeout = defaults.block_timeout;
  }
  if (!is_mode(options.mode)) {
    report("mode=" + octal(options.mode) + " is not " + std::string(kModes) + "; using " +
           octal(defaults.mode));
    options.mode = defaults.mode;
  }
  if (options.live_consumer_timeout.count() < 0 ||
      options.live_consumer_timeout.count() > kMaxBlockTimeoutMs) {
    report("live_consumer_timeout=" + std::to_string(options.live_consumer_timeout.count()) +
           " ms is not between 0 and 3600000; using " +
           std::to_string(defaults.live_consumer_timeout.count()));
    options.live_consumer_timeout = defaults.live_consumer_timeout;
  }
  if (options.cost_sampling > kMaxCostSampling) {
    report("cost_sampling=" + std::to_string(options.cost_sampling) +
           " is not between 0 and 1000000000; using " + std::to_string(defaults.cost_sampling));
    options.cost_sampling = defaults.cost_sampling;
  }
  if (const char* service = variable("RINGSIDE_SERVICE"); service != nullptr) {
    options.service = service;
  }
  if (options.service.empty()) options.service = executable_name();
  if (options.service.size() > shm::kMaxServiceBytes) {
    options.service.resize(shm::kMaxServiceBytes);
  }
  if (const char* dir = variable("RINGSIDE_SHM_DIR"); dir != nullptr) options.shm_dir = dir;
  if (options.shm_dir.empty()) options.shm_dir = defaults.shm_dir;
  read_ring_bytes(&options);
  read_number<std::uint32_t>("RINGSIDE_MAX_THREADS", 1, shm::kMaxRings, "a number from 1 to 65536",
                             &options.max_threads);
  read_choice<Overflow>("RINGSIDE_OVERFLOW", kOverflows, &options.overflow);
  auto timeout_ms = static_cast<std::uint32_t>(options.block_timeout.count());
  read_number<std::uint32_t>("RINGSIDE_BLOCK_TIMEOUT_MS", 0, kMaxBlockTimeoutMs,
                             "a number of milliseconds from 0 to 3600000", &timeout_ms);
  options.block_timeout = std::chrono::milliseconds(timeout_ms);
  read_mode(&options);
  read_group(&options);
  timeout_ms = static_cast<std::uint32_t>(options.live_consumer_timeout.count());
  read_number<std::uint32_t>("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", 0, kMaxBlockTimeoutMs,
                             "a number of milliseconds from 0 to 3600000", &timeout_ms);
  options.live_consumer_timeout = std::chrono::milliseconds(timeout_ms);
  read_choice<Level>("RINGSIDE_LEVEL", kLevels, &options.level);
  read_choice<Clock>("RINGSIDE_CLOCK", kClocks, &options.clock);
  read_number<std::uint32_t>("RINGSIDE_COST_SAMPLING", 0, kMaxCostSampling,
                             "a number from 0 to 1000000000", &options.cost_sampling);
  read_choice<TruncationGuard>("RINGSIDE_TRUNCATION_GUARD", kGuards, &options.truncation_guard);
  return options;
}

}  // namespace ringside
