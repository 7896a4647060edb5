#include "libagent/process/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>

#include <sys/auxv.h>

#include "libagent/process/segment_access.hpp"
#include "libagent/process/standard_error.hpp"
#include "shm-layout/segment_layout.hpp"
#include "shm-layout/segment_name.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMaxTimeoutMs = 3'600'000;
constexpr std::string_view kForever = "forever";
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
constexpr Choice<bool> kSwitches[] = {{"on", true}, {"off", false}};
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
           "a power of two between 4096 (4K) and 4294967296 (4G), such as 1M",
           std::to_string(options->ring_bytes));
    return;
  }
  options->ring_bytes = *bytes;
}

std::string timeout_text(std::chrono::milliseconds timeout) {
  return timeout == forever ? std::string(kForever) : std::to_string(timeout.count());
}

enum class Unlimited : std::uint8_t { refused, accepted };

void check_timeout(const char* name, Unlimited unlimited, std::chrono::milliseconds replacement,
                   std::chrono::milliseconds* option) {
  if (unlimited == Unlimited::accepted && *option == forever) return;
  if (option->count() >= 0 && option->count() <= kMaxTimeoutMs) return;
  report(std::string(name) + "=" + timeout_text(*option) +
         " ms is not between 0 and 3600000; using " + std::to_string(replacement.count()));
  *option = replacement;
}

void read_timeout(const char* name, Unlimited unlimited, std::chrono::milliseconds* option) {
  const char* text = variable(name);
  if (text == nullptr) return;
  if (unlimited == Unlimited::accepted && strcasecmp(text, kForever.data()) == 0) {
    *option = forever;
    return;
  }
  std::uint32_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, value);
  if (result.ec != std::errc() || result.ptr != end || value > kMaxTimeoutMs) {
    std::string wanted = "a number of milliseconds from 0 to 3600000";
    if (unlimited == Unlimited::accepted) wanted += ", or forever";
    return reject(name, text, wanted, timeout_text(*option));
  }
  *option = std::chrono::milliseconds(value);
}

// What the names say: an unlimited block_timeout is that with a live consumer, and a limited one is
// that without a consumer if there is no other.
void read_timeouts(Options* options) {
  const Options defaults;
  check_timeout("block_timeout", Unlimited::accepted, defaults.block_timeout,
                &options->block_timeout);
  check_timeout("live_consumer_timeout", Unlimited::accepted, defaults.live_consumer_timeout,
                &options->live_consumer_timeout);
  if (options->absent_timeout != defaults.absent_timeout) {
    check_timeout("absent_timeout", Unlimited::refused, defaults.block_timeout,
                  &options->absent_timeout);
  }
  read_timeout("RINGSIDE_BLOCK_TIMEOUT_MS", Unlimited::accepted, &options->block_timeout);
  read_timeout("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", Unlimited::accepted,
               &options->live_consumer_timeout);
  const bool is_unlimited = options->block_timeout == forever;
  if (is_unlimited) options->live_consumer_timeout = forever;
  if (options->absent_timeout == defaults.absent_timeout) {
    options->absent_timeout = is_unlimited ? defaults.block_timeout : options->block_timeout;
  }
  read_timeout("RINGSIDE_ABSENT_TIMEOUT_MS", Unlimited::refused, &options->absent_timeout);
}

// Negative: off.
void read_processor_interval(Options* options) {
  constexpr std::string_view kOff = "off";
  if (options->processor_interval.count() > kMaxTimeoutMs) {
    const Options defaults;
    report("processor_interval=" + std::to_string(options->processor_interval.count()) +
           " ms is more than 3600000; using " +
           std::to_string(defaults.processor_interval.count()));
    options->processor_interval = defaults.processor_interval;
  }
  const char* const text = variable("RINGSIDE_PROCESSOR_INTERVAL_MS");
  if (text == nullptr) return;
  if (strcasecmp(text, kOff.data()) == 0) {
    options->processor_interval = std::chrono::milliseconds(-1);
    return;
  }
  std::uint32_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, value);
  if (result.ec != std::errc() || result.ptr != end || value > kMaxTimeoutMs) {
    const bool is_off = options->processor_interval.count() < 0;
    return reject("RINGSIDE_PROCESSOR_INTERVAL_MS", text,
                  "a number of milliseconds from 0 to 3600000, or off",
                  is_off ? std::string(kOff) : std::to_string(options->processor_interval.count()));
  }
  options->processor_interval = std::chrono::milliseconds(value);
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

bool huge_pages_by_environment() {
  bool wanted = false;
  read_choice<bool>("RINGSIDE_HUGE_PAGES", kSwitches, &wanted);
  return wanted;
}

Level level_with_environment(Level level) {
  const char* const disabled = variable("RINGSIDE_DISABLE");
  if (disabled != nullptr && std::strcmp(disabled, "1") == 0) return Level::off;
  const char* const text = variable("RINGSIDE_LEVEL");
  if (text == nullptr) return level;
  for (const Choice<Level>& choice : kLevels) {
    if (strcasecmp(std::string(choice.name).c_str(), text) == 0) return choice.value;
  }
  return level;
}

Options apply_environment(Options options) {
  const Options defaults;
  if (!shm::is_ring_size(options.ring_bytes)) {
    report("ring_bytes=" + std::to_string(options.ring_bytes) +
           " is not a power of two between 4096 and 4294967296; using " +
           std::to_string(defaults.ring_bytes));
    options.ring_bytes = defaults.ring_bytes;
  }
  if (options.max_threads == 0 || options.max_threads > shm::kMaxRings) {
    report("max_threads=" + std::to_string(options.max_threads) +
           " is not between 1 and 65536; using " + std::to_string(defaults.max_threads));
    options.max_threads = defaults.max_threads;
  }
  if (!is_mode(options.mode)) {
    report("mode=" + octal(options.mode) + " is not " + std::string(kModes) + "; using " +
           octal(defaults.mode));
    options.mode = defaults.mode;
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
  read_timeouts(&options);
  read_processor_interval(&options);
  read_mode(&options);
  read_group(&options);
  read_choice<Level>("RINGSIDE_LEVEL", kLevels, &options.level);
  read_choice<Clock>("RINGSIDE_CLOCK", kClocks, &options.clock);
  read_number<std::uint32_t>("RINGSIDE_COST_SAMPLING", 0, kMaxCostSampling,
                             "a number from 0 to 1000000000", &options.cost_sampling);
  read_choice<TruncationGuard>("RINGSIDE_TRUNCATION_GUARD", kGuards, &options.truncation_guard);
  return options;
}

}  // namespace ringside
