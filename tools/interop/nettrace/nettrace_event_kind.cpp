#include "tools/interop/nettrace/nettrace_event_kind.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "tools/interop/nettrace/nettrace_facts.hpp"

namespace ringside::tool::nettrace {
namespace {

// The facts are fields too, and a statement has 512.
constexpr std::size_t kMostPayloadFields = shm::kMaxFields - 10;
constexpr std::string_view kUntyped =
    "the file does not describe their type: they became bytes, without a name";
constexpr std::string_view kUnfit =
    "their payload does not match the description of its type: it became bytes";
constexpr std::string_view kManyFields = "have more than 502 fields: their payload became bytes";
constexpr std::string_view kOtherTag =
    "the descriptions of their statements by Ringside are invalid";

FieldDefinition constant_field(std::string_view name, shm::FieldType type, std::uint32_t value) {
  FieldDefinition field;
  field.name = name;
  field.type = type;
  field.constant = std::string(reinterpret_cast<const char*>(&value), shm::fixed_size(type));
  return field;
}

}  // namespace

void EventKind::prepare(std::size_t pointer_bytes, ConversionReport& report) {
  if (!metadata.ringside_site.empty()) {
    RingsideSite site;
    if (parse_ringside_tag(metadata, site)) {
      own = std::move(site);
    } else {
      report.lost(kOtherTag);
    }
    metadata.ringside_site.clear();
  }
  if (own) {
    plan.make_own(metadata, own->definition);
    typed = true;
  } else {
    if (metadata.fields.empty() && metadata.description != FieldDescription::kUnknown) {
      auto known = find_manifest_event(metadata.provider, metadata.event_id, metadata.version);
      if (known) {
        manifest.emplace(std::move(*known), pointer_bytes);
        return;
      }
    }
    typed = plan.make(metadata, kMostPayloadFields);
    if (!typed) report.lost(kManyFields);
  }
  std::size_t bytes = 0;
  for (const MetadataField& field : metadata.fields) {
    if (!field.is_fixed) return;
    bytes += field.fixed_bytes;
  }
  payload_bytes = bytes;
}

std::string EventKind::event_name() const {
  if (!metadata.event_name.empty()) return metadata.event_name;
  return manifest ? std::string(manifest->event().name) : name_of_nameless(metadata.event_id);
}

std::optional<std::uint8_t> EventKind::opcode() const {
  if (metadata.opcode || !manifest || manifest->event().opcode == 0) return metadata.opcode;
  return manifest->event().opcode;
}

SiteDefinition EventKind::define(unsigned variant) const {
  const Metadata& m = metadata;
  SiteDefinition site;
  if (own && variant == 0) return own->definition;
  site.name = event_name();
  site.format = site.name;
  site.category = m.provider;
  site.keywords = m.keywords;
  site.level = level_of(m.level);
  if ((variant & kBytesOnly) == 0) {
    site.fields = manifest ? manifest->event().columns() : plan.fields;
  } else {
    site.fields.push_back({std::string(kPayloadField), shm::FieldType::bytes});
  }
  const auto fact = [&](unsigned bit, std::string_view name, shm::FieldType type) {
    if ((variant & bit) != 0) site.fields.push_back({std::string(name), type});
  };
  fact(kWithExtra, kExtraField, shm::FieldType::bytes);
  fact(kWithProcessor, kProcessorField, shm::FieldType::u32);
  fact(kWithCaptureThread, kCaptureThreadField, shm::FieldType::u64);
  fact(kWithThread, kThreadField, shm::FieldType::u64);
  fact(kWithStack, kStackField, shm::array_of(shm::FieldType::pointer));
  if (!is_described) return site;
  site.fields.push_back(constant_field(kEventIdField, shm::FieldType::u32, m.event_id));
  site.fields.push_back(constant_field(kVersionField, shm::FieldType::u32, m.version));
  const std::optional<std::uint8_t> code = opcode();
  if (code) site.fields.push_back(constant_field(kOpcodeField, shm::FieldType::u8, *code));
  if (m.level == 0 || m.level > 5) {
    site.fields.push_back(constant_field(kLevelField, shm::FieldType::u32, m.level));
  }
  return site;
}

std::size_t EventKind::put(std::span<const std::byte> payload, TraceBuilder& builder,
                           ConversionReport& report) const {
  if (!manifest) return put_values(plan, payload, builder, report);
  manifest->put(builder);
  return manifest_bytes_;
}

unsigned EventKind::fit_slowly(std::span<const std::byte> payload, ConversionReport& report) {
  if (manifest) {
    manifest_bytes_ = manifest->read(payload, report);
    if (manifest_bytes_ != kNoValue) return manifest_bytes_ < payload.size() ? kWithExtra : 0U;
    report.lost(kUnfit);
    return kBytesOnly;
  }
  if (!typed) {
    if (!is_described) report.lost(kUntyped);
    return kBytesOnly;
  }
  switch (fit_payload(metadata, payload)) {
    case PayloadFit::kExact:
      return 0;
    case PayloadFit::kNoFields:
      return payload.empty() ? 0U : unsigned{kBytesOnly};
    case PayloadFit::kExtraBytes:
      return kWithExtra;
    case PayloadFit::kTooShort:
      break;
  }
  report.lost(kUnfit);
  return kBytesOnly;
}

}  // namespace ringside::tool::nettrace
