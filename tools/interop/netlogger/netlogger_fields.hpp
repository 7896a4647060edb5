#pragma once
// Converts events that are lists of named fields, those of NetLogger and ULM, to Ringside's
// records.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::netlogger {

// Names with a meaning. HOST, PROG and LVL are from ULM; Ringside's writers add the others for the
// further facts of the event model.
inline constexpr std::string_view kHostName = "HOST";
inline constexpr std::string_view kProgramName = "PROG";
inline constexpr std::string_view kLevelName = "LVL";
inline constexpr std::string_view kPidName = "ringside.pid";
inline constexpr std::string_view kKindName = "ringside.kind";
inline constexpr std::string_view kCategoryName = "ringside.category";
inline constexpr std::string_view kFormatName = "ringside.format";
inline constexpr std::string_view kStyleName = "ringside.style";
inline constexpr std::string_view kFileName = "ringside.file";
inline constexpr std::string_view kLineName = "ringside.line";
inline constexpr std::string_view kFunctionName = "ringside.function";
inline constexpr std::string_view kKeywordsName = "ringside.keywords";
inline constexpr std::string_view kThreadName = "ringside.thread";
inline constexpr std::string_view kDurationName = "ringside.duration_ns";
inline constexpr std::string_view kSubstreamName = "ringside.substream";
inline constexpr std::string_view kActivityName = "ringside.activity";
inline constexpr std::string_view kRelatedName = "ringside.related";
inline constexpr std::string_view kStackName = "ringside.stack";
// The event that reports losses, and its fields.
inline constexpr std::string_view kLossEvent = "ringside.loss";
inline constexpr std::string_view kLostName = "ringside.lost";
inline constexpr std::string_view kCauseName = "ringside.cause";

struct FieldValue {
  std::string_view name;
  shm::FieldType type = shm::FieldType::none;  // i32, u32, i64, u64, f32, f64 or string
  std::uint64_t bits = 0;                      // of numbers; integers are sign-extended
  std::string_view text = {};
  bool is_constant = false;
};

// The common part of all events with the same constants, and the same names and types of the other
// fields.
struct Shape {
  enum class Role : std::uint8_t {
    kField,
    kThread,
    kDuration,
    kSubstream,
    kActivity,
    kRelated,
    kStack,
    kLost,
    kCause,
    kNone,  // left out
  };
  std::uint32_t site = 0;  // 0: the limit is reached, or the event reports losses
  std::uint32_t process = 0;
  bool is_loss = false;
  std::vector<Role> roles;  // of the fields that are not constants
  // The types of the fields with kField, if these are converted (netlogger_conversion.hpp).
  std::vector<shm::FieldType> types;
};

class FieldImport {
 public:
  // `service` is for events without PROG.
  FieldImport(TraceBuilder& builder, ConversionReport& report, std::string service)
      : builder_(builder), report_(report), service_(std::move(service)) {}

  // A sender of events: each has separate threads, called `name`.
  std::uint32_t add_sender(std::string name);
  const Shape& shape_of(std::span<const FieldValue> fields);
  // `variables`: the fields that are not constants, in the shape's order. Events without a time get
  // that of the previous event.
  void add(std::uint32_t sender, const Shape& shape, std::optional<std::int64_t> unix_ns,
           std::span<const FieldValue> variables);
  // Called after the last event: a trace without events has a process, too.
  void end();

 private:
  struct Sender {
    std::string name;
    std::uint64_t last_ns = 0;
  };
  struct StreamKey {
    std::uint32_t process;
    std::uint32_t sender;
    std::uint32_t thread;
    // NOLINTNEXTLINE(modernize-use-nullptr): the compiler makes the comparison with 0
    auto operator<=>(const StreamKey&) const = default;
  };

  std::uint32_t process_of(const ProcessDefinition& process);
  std::uint32_t stream_of(const StreamKey& key);
  Shape make_shape(std::span<const FieldValue> fields);
  void put_values(const Shape& shape, std::span<const FieldValue> variables);
  void put_converted(const Shape& shape, std::span<const FieldValue> variables);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::string service_;
  std::vector<Sender> senders_;
  std::unordered_map<std::string, Shape> shapes_;
  std::size_t shape_bytes_ = 0;  // of their keys
  Shape no_shape_;               // for all events, once the limit is reached
  std::map<std::string, std::uint32_t> processes_;
  std::map<StreamKey, std::uint32_t> streams_;
  StreamKey last_key_{};
  std::optional<std::uint32_t> last_stream_;
  std::string key_;
};

}  // namespace ringside::tool::netlogger
