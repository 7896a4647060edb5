#include "consumerd/configuration/option_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <optional>
#include <sched.h>

#include "consumerd/configuration/option_values.hpp"
#include "consumerd/metrics/listening_socket.hpp"
#include "trace-format/condition/level_name.hpp"
#include "trace-format/lines/template_lines.hpp"

namespace ringside::consumer {
namespace {

constexpr std::uint64_t kLeastRotationBytes = 16U << 10;
constexpr const char* kSize = "must be a size like 500000, 64K, 100M or 2G";

template <class Number>
bool parse_number(std::string_view text, Number* number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

std::string take_size(const std::string& value, std::uint64_t* bytes) {
  const auto size = parse_size(value);
  if (!size) return kSize;
  *bytes = *size;
  return {};
}

// Applies a choice between words.
template <class Choice, std::size_t N>
std::string take_choice(const std::string& value,
                        const std::array<std::pair<std::string_view, Choice>, N>& choices,
                        Choice* choice) {
  std::string words;
  for (std::size_t i = 0; i < N; ++i) {
    if (value == choices[i].first) {
      *choice = choices[i].second;
      return {};
    }
    if (i > 0) words += i + 1 < N ? ", " : " or ";
    words += choices[i].first;
  }
  return "must be " + words;
}

std::string take_flag(const std::string& value, bool* flag) {
  if (value != "true" && value != "false") return "must be true or false";
  *flag = value == "true";
  return {};
}

std::string take_sync(const std::string& value, SyncPolicy* sync) {
  constexpr std::string_view kInterval = "interval=";
  if (value == "none" || value == "always") {
    *sync = {value == "none" ? SyncWhen::kNever : SyncWhen::kAlways, {}};
    return {};
  }
  const auto interval = value.starts_with(kInterval)
                            ? parse_sync_interval(std::string_view(value).substr(kInterval.size()))
                            : std::nullopt;
  if (!interval)
    return "must be none, interval=DURATION (such as 100ms or 1s, at most 1h) or always";
  *sync = {SyncWhen::kInterval, *interval};
  return {};
}

std::uint32_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(CPU_COUNT(&set));
}

struct Known {
  Setting setting;
  std::string (*apply)(const std::string& value, Options* options);
};

using enum SettingForm;

constexpr Known kKnown[] = {
    {{"output", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->output_dir = value;
       return std::string();
     }},
    {{"text", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->text.dir = value;
       return std::string(value.empty() ? "must be a directory" : "");
     }},
    {{"template", kValue, SettingType::kText, true},
     [](const std::string& value, Options* options) {
       options->text.line_template = value;
       std::string why;
       return trace::TemplateLines::make(value, false, &why) != nullptr
                  ? std::string()
                  : "must be a template as for ringcat: " + why.substr(why.find(',') + 2);
     }},
    {{"text-level", kValue, SettingType::kText, true},
     [](const std::string& value, Options* options) {
       const auto level = trace::level_of_name(value);
       options->text.least_level = level.value_or(shm::Level::kTrace);
       return level ? std::string() : "must be one of " + trace::level_names();
     }},
    {{"text-utc", kFlag, SettingType::kFlag, true},
     [](const std::string& value, Options* options) {
       return take_flag(value, &options->text.utc);
     }},
    {{"shm-dir", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->shm_dir = value;
       return std::string();
     }},
    {{"session-dir", kValues, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->session_dirs.push_back(value);
       return std::string();
     }},
    {{"service", kValues, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->services.push_back(value);
       return std::string();
     }},
    {{"allow-uid", kValues, SettingType::kNumber, false},
     [](const std::string& value, Options* options) {
       uid_t user = 0;
       // The largest number means "none" in the kernel's interfaces.
       if (!parse_number(value, &user) || user == UINT_MAX) {
         return std::string("must be a numeric user id");
       }
       options->allowed_users.push_back(user);
       return std::string();
     }},
    {{"allow-group", kValues, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       const std::optional<gid_t> group = group_number(value);
       if (!group) {
         return "must be a group of /etc/group or its number, not '" + shown(value) +
                "' (getent group)";
       }
       options->allowed_groups.push_back(*group);
       return std::string();
     }},
    {{"rotate-bytes", kValue, SettingType::kNumber, true},
     [](const std::string& value, Options* options) {
       const std::string fault = take_size(value, &options->rotation.bytes);
       return fault.empty() && options->rotation.bytes < kLeastRotationBytes
                  ? std::string(
                        "must be at least 16K: each file begins with the descriptions of all "
                        "statements")
                  : fault;
     }},
    {{"rotate-after", kValue, SettingType::kText, true},
     [](const std::string& value, Options* options) {
       const auto duration = parse_duration(value);
       if (!duration) return std::string("must be a duration like 30s, 10m or 1h");
       options->rotation.after = *duration;
       return std::string();
     }},
    {{"keep-files", kValue, SettingType::kNumber, true},
     [](const std::string& value, Options* options) {
       const auto files = parse_count(value);
       if (!files) return std::string("must be an integer of at least 1");
       options->keep.files = *files;
       return std::string();
     }},
    {{"keep-bytes", kValue, SettingType::kNumber, true},
     [](const std::string& value, Options* options) {
       return take_size(value, &options->keep.bytes);
     }},
    {{"keep-unshipped-bytes", kValue, SettingType::kNumber, true},
     [](const std::string& value, Options* options) {
       return take_size(value, &options->keep.unshipped_bytes);
     }},
    {{"pack", kFlag, SettingType::kFlag, true},
     [](const std::string& value, Options* options) {
       return take_flag(value, &options->keep.pack);
     }},
    {{"io", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       constexpr std::array<std::pair<std::string_view, IoChoice>, 3> kChoices{
           {{"auto", IoChoice::kAuto}, {"uring", IoChoice::kUring}, {"pwrite", IoChoice::kPwrite}}};
       return take_choice(value, kChoices, &options->io);
     }},
    {{"sync", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) { return take_sync(value, &options->sync); }},
    {{"sandbox", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       constexpr std::array<std::pair<std::string_view, SandboxChoice>, 3> kChoices{
           {{"auto", SandboxChoice::kAuto},
            {"on", SandboxChoice::kOn},
            {"off", SandboxChoice::kOff}}};
       return take_choice(value, kChoices, &options->sandbox);
     }},
    {{"metrics", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       options->metrics = value;
       return std::string(parse_listening_address(value)
                              ? ""
                              : "must be an address and a port, such as 127.0.0.1:9465 or "
                                "[::1]:9465");
     }},
    {{"log-format", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       constexpr std::array<std::pair<std::string_view, LogFormat>, 2> kChoices{
           {{"text", LogFormat::kText}, {"json", LogFormat::kJson}}};
       return take_choice(value, kChoices, &options->log_format);
     }},
    {{"cpu", kValue, SettingType::kNumber, false},
     [](const std::string& value, Options* options) {
       options->cpu_auto = value == "auto";
       if (options->cpu_auto) options->cpu = -1;
       const bool sound = options->cpu_auto || (parse_number(value, &options->cpu) &&
                                                options->cpu >= 0 && options->cpu < CPU_SETSIZE);
       return std::string(sound ? "" : "must be a processor number, from 0, or auto");
     }},
    {{"threads", kValue, SettingType::kText, false},
     [](const std::string& value, Options* options) {
       if (value == "auto") {
         options->threads = std::clamp(usable_processors(), 1U, kMostThreadsOfAuto);
         return std::string();
       }
       const bool sound = parse_number(value, &options->threads) && options->threads >= 1 &&
                          options->threads <= kMostThreads;
       return sound ? std::string()
                    : "must be auto or a number from 1 to " + std::to_string(kMostThreads);
     }},
    {{"verbose", kFlag, SettingType::kFlag, false},
     [](const std::string& value, Options* options) {
       return take_flag(value, &options->verbose);
     }},
};

constexpr auto kSettings = [] {
  std::array<Setting, std::size(kKnown)> settings{};
  for (std::size_t i = 0; i < settings.size(); ++i) settings[i] = kKnown[i].setting;
  return settings;
}();

}  // namespace

std::span<const Setting> settings() {
  return kSettings;
}

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : kSettings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

std::string apply_setting(const Setting& setting, const std::string& value, Options* options) {
  const auto index = static_cast<std::size_t>(&setting - kSettings.data());
  return kKnown[index].apply(value, options);
}

}  // namespace ringside::consumer
