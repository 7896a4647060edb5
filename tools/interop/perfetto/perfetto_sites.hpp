#pragma once
// Statements for the events of a Perfetto trace.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/interop/perfetto/perfetto_arguments.hpp"
#include "tools/interop/site_definition.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::perfetto {

struct SiteChoice {
  std::uint32_t id = 0;    // 0: the limit is reached
  bool with_name = false;  // its last field is the event's name
  bool converts = false;   // values get the types of definition()'s fields
};

// Not thread-safe.
class Sites {
 public:
  // Beyond this number of statements, names become a field of their records: they vary too much.
  // There are at most twice as many statements.
  static constexpr std::size_t kMostNamedSites = 50'000;
  static constexpr std::string_view kNameField = "perfetto.name";

  // The limit of all statements together; further ones are not added.
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

  explicit Sites(TraceBuilder& builder) : builder_(builder) {}

  // `definition`: everything except the fields, which `fields` describes.
  SiteChoice find(SiteDefinition definition, const std::vector<ArgumentField>& fields);

  // The statement `id` with further fields; 0 if the limit is reached.
  std::uint32_t extended(std::uint32_t id, const std::vector<ArgumentField>& fields);

  const SiteDefinition& definition(std::uint32_t id) const { return definitions_[id - 1]; }

 private:
  std::uint32_t add(SiteDefinition definition, std::string key);

  TraceBuilder& builder_;
  std::unordered_map<std::string, std::uint32_t> ids_;  // by key_of()
  std::deque<SiteDefinition> definitions_;
  std::size_t bytes_ = 0;
};

// A text of the whole definition: equal for equal definitions.
std::string key_of(const SiteDefinition& definition);

}  // namespace ringside::tool::perfetto
