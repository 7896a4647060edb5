#include "tools/interop/netlogger/netlogger_import.hpp"

#include <fmt/format.h>

#include "tools/interop/netlogger/netlogger_format.hpp"

namespace ringside::tool {
namespace netlogger {
namespace {

shm::FieldType type_of(const Datum& datum) {
  switch (datum.type) {
    case kInt:
      return shm::FieldType::i32;
    case kFloat:
      return shm::FieldType::f32;
    case kUint32:
      return shm::FieldType::u32;
    case kInt64:
      return shm::FieldType::i64;
    case kUint64:
      return shm::FieldType::u64;
    case kDouble:
      return shm::FieldType::f64;
    default:
      return shm::FieldType::string;
  }
}

void set(const Datum& datum, FieldValue& field) {
  field.type = type_of(datum);
  field.bits = datum.type == kInt
                   ? static_cast<std::uint64_t>(static_cast<std::int32_t>(datum.bits))
                   : datum.bits;
  field.text = datum.text;
}

}  // namespace

std::size_t SenderImport::take(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (damage_.empty() && taken < bytes.size()) {
    switch (decoder_.take(bytes.subspan(taken), message_)) {
      case Step::kHeader:
        ++headers_;
        known_.erase(message_.identifier);
        last_ = nullptr;
        break;
      case Step::kBody:
        add(message_);
        break;
      case Step::kUnknown:
        ++unknown_;
        break;
      case Step::kBad:
        ++bad_;
        // After a bad header, bodies of this identifier belong to no known statement.
        known_.erase(message_.identifier);
        last_ = nullptr;
        break;
      case Step::kMore:
        return taken;
      case Step::kDamaged:
        damage_ = decoder_.why();
        return taken;
    }
    taken += message_.length;
  }
  return taken;
}

void SenderImport::add(const Message& message) {
  const Definition& definition = *message.definition;
  if (last_ == nullptr || last_identifier_ != message.identifier) {
    last_ = &known_[message.identifier];
    last_identifier_ = message.identifier;
  }
  Known& known = *last_;
  const std::size_t constants = definition.constants.size();
  if (known.shape == nullptr) {
    known.fields.resize(definition.names.size());
    for (std::size_t i = 0; i < definition.names.size(); ++i) {
      known.fields[i].name = definition.names[i];
      known.fields[i].is_constant = i < constants;
      if (i < constants) set(definition.constants[i], known.fields[i]);
    }
  }
  const std::span<FieldValue> variables = std::span(known.fields).subspan(constants);
  bool same_types = known.shape != nullptr;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    same_types = same_types && variables[i].type == type_of(message.values[i]);
    set(message.values[i], variables[i]);
  }
  if (!same_types) known.shape = &fields_.shape_of(known.fields);
  fields_.add(sender_, *known.shape, unix_ns_of(message.ntp_seconds, message.ntp_fraction),
              variables);
}

}  // namespace netlogger

ReadOutcome read_netlogger(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  netlogger::FieldImport fields(builder, report, "netlogger");
  netlogger::SenderImport sender(fields, "");
  ReadOutcome outcome;
  for (std::size_t wanted = 1;;) {
    const std::span<const std::byte> bytes = input.peek(wanted);
    if (bytes.empty()) break;
    const std::size_t taken = sender.take(bytes);
    const std::size_t left = bytes.size() - taken;
    input.skip(taken);
    const bool is_cut = sender.damage().empty() && taken == 0 && left < sender.wanted() &&
                        wanted >= sender.wanted();
    if (is_cut || !sender.damage().empty()) {
      const std::string why =
          is_cut ? "the file ends within this message; it is truncated, or the length is wrong"
                 : sender.damage();
      if (sender.headers() == 0) return ReadOutcome::refused(input.offset(), why);
      outcome = ReadOutcome::damaged(input.offset(), why);
      break;
    }
    wanted = left != 0 ? sender.wanted() : 1;
  }
  fields.end();
  if (sender.bad() != 0) {
    outcome.warnings.push_back(fmt::format("{} bad messages were skipped", sender.bad()));
  }
  if (sender.unknown() != 0) {
    outcome.warnings.push_back(
        fmt::format("{} messages with an undefined identifier were skipped", sender.unknown()));
  }
  return outcome;
}

}  // namespace ringside::tool
