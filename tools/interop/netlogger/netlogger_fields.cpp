#include "tools/interop/netlogger/netlogger_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "shm-layout/record_head.hpp"
#include "tools/interop/netlogger/netlogger_conversion.hpp"
#include "tools/interop/netlogger/netlogger_level.hpp"
#include "tools/interop/netlogger/netlogger_messages.hpp"
#include "tools/interop/site_format.hpp"

namespace ringside::tool::netlogger {
namespace {

using shm::FieldType;
using Role = Shape::Role;

constexpr std::string_view kManySites =
    "is left out: a trace has at most about a million statements";
// Memory for the keys of statements; the statements need about as much again.
constexpr std::size_t kMostShapeBytes = std::size_t{256} << 20;

constexpr std::string_view kNoTime = "has no time: it got the time of the record before";
constexpr std::string_view kEarly = "is from before 1970: its time became 1970";
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto kMostKind = static_cast<std::uint64_t>(shm::SiteKind::kHistogram);
constexpr std::uint64_t kMostLost = std::uint64_t{1} << 40;
constexpr std::string_view kNotOfFormat = "a value does not match the format of its message";
constexpr std::string_view kManyFields = "fields after the 512th are left out";

bool is_integer(const FieldValue& field) {
  return field.type == FieldType::i32 || field.type == FieldType::u32 ||
         field.type == FieldType::i64 || field.type == FieldType::u64;
}

// The value of an integer, or of a text that contains one; otherwise 0.
std::uint64_t number_of(const FieldValue& field) {
  if (is_integer(field)) return field.bits;
  std::uint64_t number = 0;
  std::from_chars(field.text.data(), field.text.data() + field.text.size(), number);
  return number;
}

std::array<std::uint8_t, 16> activity_of(std::string_view text) {
  std::array<std::uint8_t, 16> id{};
  for (std::size_t i = 0; i < id.size() && 2 * i + 2 <= text.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, id[i], 16);
  }
  return id;
}

Role role_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Role> kRoles[] = {
      {kThreadName, Role::kThread},       {kDurationName, Role::kDuration},
      {kSubstreamName, Role::kSubstream}, {kActivityName, Role::kActivity},
      {kRelatedName, Role::kRelated},     {kStackName, Role::kStack},
      {kLostName, Role::kLost},           {kCauseName, Role::kCause}};
  if (name.substr(0, 9) != "ringside.") return Role::kField;
  for (const auto& [known, role] : kRoles) {
    if (name == known) return role;
  }
  return Role::kField;
}

std::string constant_of(const FieldValue& field) {
  if (field.type == FieldType::string) return std::string(field.text);
  std::string bytes(shm::fixed_size(field.type), '\0');
  std::memcpy(bytes.data(), &field.bits, bytes.size());
  return bytes;
}

// Whether the statement or process has a place for the constant, and stores it there.
bool take_constant(const FieldValue& field, SiteDefinition& site, ProcessDefinition& process) {
  const std::string_view name = field.name;
  if (field.type == FieldType::string) {
    const std::pair<std::string_view, std::string*> places[] = {
        {kEventName, &site.name},         {kHostName, &process.host},
        {kProgramName, &process.service}, {kCategoryName, &site.category},
        {kFormatName, &site.format},      {kFileName, &site.file},
        {kFunctionName, &site.function}};
    for (const auto& [known, place] : places) {
      if (name == known) {
        // An empty constant of NetLogger remains a field: its place could not show that it existed.
        if (field.text.empty() && !name.starts_with("ringside.")) return false;
        *place = field.text;
        return true;
      }
    }
    const auto level = name == kLevelName ? level_of(field.text) : std::nullopt;
    if (level) site.level = *level;
    if (name == kKeywordsName) site.keywords = number_of(field);
    // Another word for a level is not lost: it remains a field.
    return (level && shm::level_name(*level) == field.text) || name == kKeywordsName;
  }
  if (!is_integer(field)) return false;
  if (name == kKindName && field.bits >= 1 && field.bits <= kMostKind) {
    site.kind = static_cast<shm::SiteKind>(field.bits);
  } else if (name == kStyleName && field.bits <= 2) {
    site.style = static_cast<shm::FormatStyle>(field.bits);
  } else if (name == kLineName && field.bits <= kMost32) {
    site.line = static_cast<std::uint32_t>(field.bits);
  } else if (name == kPidName && field.bits <= kMost32) {
    process.pid = static_cast<std::uint32_t>(field.bits);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::uint32_t FieldImport::add_sender(std::string name) {
  // Later senders share the last one's number, because the number of threads is limited.
  if (senders_.size() < TraceBuilder::kMostStreams) senders_.push_back({std::move(name), 0});
  return static_cast<std::uint32_t>(senders_.size() - 1);
}

std::uint32_t FieldImport::process_of(const ProcessDefinition& process) {
  const std::string key =
      process.service + '\0' + process.host + '\0' + std::to_string(process.pid);
  const auto found = processes_.find(key);
  if (found != processes_.end()) return found->second;
  if (processes_.size() == TraceBuilder::kMostProcesses) {
    report_.lost("statements of hosts and programs after the 200th are in '(other hosts)'");
    return builder_.process_of_others();
  }
  return processes_.emplace(key, builder_.add_process(process)).first->second;
}

std::uint32_t FieldImport::stream_of(const StreamKey& key) {
  if (last_stream_ && last_key_ == key) return *last_stream_;
  auto found = streams_.find(key);
  if (found == streams_.end()) {
    if (streams_.size() == TraceBuilder::kMostStreams) {
      report_.lost("is in another thread: a trace has at most 100000 threads");
      return streams_.begin()->second;
    }
    const std::uint32_t index =
        builder_.add_stream(key.process, {key.thread, senders_[key.sender].name});
    found = streams_.emplace(key, index).first;
  }
  last_key_ = key;
  last_stream_ = found->second;
  return found->second;
}

void FieldImport::end() {
  ProcessDefinition process;
  process.service = service_;
  if (processes_.empty()) process_of(process);
}

const Shape& FieldImport::shape_of(std::span<const FieldValue> fields) {
  key_.clear();
  const auto append = [this](std::string_view text) {
    const auto bytes = static_cast<std::uint32_t>(text.size());
    key_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    key_ += text;
  };
  for (const FieldValue& field : fields) {
    key_ += static_cast<char>(field.type);
    key_ += field.is_constant ? '\1' : '\0';
    append(field.name);
    if (!field.is_constant) continue;
    key_.append(reinterpret_cast<const char*>(&field.bits), sizeof field.bits);
    append(field.text);
  }
  const auto found = shapes_.find(key_);
  if (found != shapes_.end()) return found->second;
  shape_bytes_ += key_.size() + sizeof(Shape);
  if (shape_bytes_ > kMostShapeBytes) {
    if (no_shape_.roles.size() < fields.size()) no_shape_.roles.resize(fields.size(), Role::kNone);
    return no_shape_;
  }
  return shapes_.emplace(key_, make_shape(fields)).first->second;
}

Shape FieldImport::make_shape(std::span<const FieldValue> fields) {
  Shape shape;
  SiteDefinition site;
  ProcessDefinition process;
  process.service = service_;
  std::vector<std::string_view> taken;
  bool has_format = false;
  bool told = false;
  for (const FieldValue& field : fields) {
    // A second field of the same name is a field like any other.
    const bool is_first = std::find(taken.begin(), taken.end(), field.name) == taken.end();
    if (field.is_constant && is_first && take_constant(field, site, process)) {
      taken.push_back(field.name);
      has_format = has_format || field.name == kFormatName;
      continue;
    }
    const Role role = field.is_constant ? Role::kField : role_of(field.name);
    const bool fits = role != Role::kField || site.fields.size() < shm::kMaxFields;
    if (!field.is_constant) shape.roles.push_back(fits ? role : Role::kNone);
    if (!fits && !std::exchange(told, true)) report_.lost(kManyFields);
    if (!fits || role != Role::kField) continue;
    FieldDefinition& definition = site.fields.emplace_back();
    definition.name = field.name;
    definition.type = field.type;
    if (field.is_constant) definition.constant = constant_of(field);
  }
  if (!has_format) site.format = site.name;
  if (take_types_of_format(site)) {
    for (const FieldDefinition& field : site.fields) shape.types.push_back(field.type);
  }
  if (!can_format(site)) site.style = shm::FormatStyle::none;
  shape.is_loss = site.name == kLossEvent;
  shape.process = process_of(process);
  if (!shape.is_loss && builder_.sites() < TraceBuilder::kMostSites) {
    shape.site = builder_.add_site(site);
  }
  return shape;
}

void FieldImport::add(std::uint32_t sender, const Shape& shape, std::optional<std::int64_t> unix_ns,
                      std::span<const FieldValue> variables) {
  if (!unix_ns) report_.lost(kNoTime);
  if (unix_ns && *unix_ns < 0) report_.lost(kEarly);
  std::uint64_t& last_ns = senders_[sender].last_ns;
  const std::uint64_t time =
      unix_ns ? static_cast<std::uint64_t>(std::max<std::int64_t>(*unix_ns, 0)) : last_ns;
  last_ns = time;
  trace::RecordExtension extension;
  StreamKey stream{shape.process, sender, 0};
  std::uint64_t lost = 0;
  std::uint64_t cause = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FieldValue& value = variables[i];
    switch (shape.roles[i]) {
      case Role::kField:
      case Role::kNone:
        continue;
      case Role::kThread:
        stream.thread = static_cast<std::uint32_t>(number_of(value));
        continue;
      case Role::kDuration:
        extension.ext_flags |= shm::kExtDuration;
        extension.duration = number_of(value);
        continue;
      case Role::kSubstream:
        extension.ext_flags |= shm::kExtSubstream;
        extension.substream = number_of(value);
        continue;
      case Role::kActivity:
        extension.ext_flags |= shm::kExtActivity;
        extension.activity = activity_of(value.text);
        continue;
      case Role::kRelated:
        extension.ext_flags |= shm::kExtRelatedActivity;
        extension.related = activity_of(value.text);
        continue;
      case Role::kStack:
        extension.ext_flags |= shm::kExtStack;
        extension.stack_id = static_cast<std::uint32_t>(number_of(value));
        continue;
      case Role::kLost:
        lost = number_of(value);
        continue;
      case Role::kCause:
        cause = number_of(value);
        continue;
    }
  }
  const std::uint32_t index = stream_of(stream);
  if (shape.is_loss) {
    if (lost != 0)
      builder_.lost(index, time, std::min(lost, kMostLost),
                    static_cast<shm::LossCause>(cause & 0xFF));
    return;
  }
  if (shape.site == 0) return report_.lost(kManySites);
  builder_.begin(index, shape.site, time, extension);
  shape.types.empty() ? put_values(shape, variables) : put_converted(shape, variables);
  builder_.end();
}

void FieldImport::put_values(const Shape& shape, std::span<const FieldValue> variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (shape.roles[i] != Role::kField) continue;
    const FieldValue& value = variables[i];
    if (value.type == FieldType::string) {
      builder_.put_text(value.text);
    } else if (shm::fixed_size(value.type) == 4) {
      builder_.put(static_cast<std::uint32_t>(value.bits));
    } else {
      builder_.put(value.bits);
    }
  }
}

void FieldImport::put_converted(const Shape& shape, std::span<const FieldValue> variables) {
  bool fits = true;
  auto type = shape.types.begin();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (shape.roles[i] != Role::kField) continue;
    builder_.put_value(value_as(variables[i], *type++, &fits));
  }
  if (!fits) report_.lost(kNotOfFormat);
}

}  // namespace ringside::tool::netlogger
