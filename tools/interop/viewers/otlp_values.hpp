#pragma once
// Values as OTLP/JSON's AnyValue, and ids in hexadecimal.

#include <array>
#include <cstdint>
#include <string_view>

#include "shm-layout/level.hpp"
#include "tools/interop/uncarried_facts.hpp"
#include "trace-format/text/text_sink.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::tool::otlp {

// Such as {"intValue":"7"}: integers beyond 64 signed bits and pointers are texts, f80 doubles,
// enumerations their names.
void put_any_value(trace::TextSink& out, const trace::Value& value, UncarriedFacts& uncarried);

void put_number(trace::TextSink& out, std::uint64_t number);
void put_hex(trace::TextSink& out, const std::array<std::uint8_t, 16>& id);
void put_hex(trace::TextSink& out, std::uint64_t id);  // 16 digits

// severityNumber of OpenTelemetry's log data model.
std::uint64_t severity(shm::Level level);

// {"key":...,"value":{"stringValue":...}}, or the same for an integer.
void put_attribute(trace::TextSink& out, std::string_view key, std::string_view text);
void put_attribute(trace::TextSink& out, std::string_view key, std::uint64_t number);

}  // namespace ringside::tool::otlp
