#pragma once
// The statements of records that come from JSON, whose number the format does not limit.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/json/json_record.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// If there are too many statements, the name and message become the fields FORMAT.name and
// FORMAT.message; if the fields vary too, they become one JSON text, FORMAT.fields. Memory: about 1
// KiB per statement. Not thread-safe.
class JsonStatements {
 public:
  // Up to the first number each statement is separate; up to the second, each set of fields.
  static constexpr std::size_t kMostNamed = 50'000;
  static constexpr std::size_t kMostShaped = 80'000;
  static constexpr std::size_t kMostTextBytes = 8192;               // of one statement
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;  // of all statements

  JsonStatements(TraceBuilder& builder, ConversionReport& report, std::string_view format)
      : builder_(builder), report_(report), format_(format) {}

  void add(std::uint32_t stream, std::uint64_t unix_ns, const JsonRecord& record,
           const trace::RecordExtension& extension = {});

 private:
  // 0: the limit is reached.
  std::uint32_t site_of(const JsonRecord& record, std::size_t most);
  void put(std::uint32_t site, std::uint32_t stream, std::uint64_t unix_ns,
           const JsonRecord& record, const trace::RecordExtension& extension);
  void make_general(const JsonRecord& record, bool with_fields);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::string format_;
  std::unordered_map<std::string, std::uint32_t> sites_;  // by key
  JsonRecord general_;
  std::string key_;
  std::size_t bytes_ = 0;
};

}  // namespace ringside::tool
