#pragma once
// How the records of a statement become events.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/nettrace/nettrace_manifest.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool::nettrace {

inline constexpr std::size_t kNoField = SIZE_MAX;

struct EventPlan {
  struct Step {
    std::size_t field = 0;  // of the record
    shm::FieldType type = shm::FieldType::none;
    std::optional<std::string> constant = {};  // its encoded value in the payload
  };

  // Facts of a NetTrace file that was read, to be written again: nettrace_facts.hpp.
  bool is_foreign = false;
  Metadata metadata;  // without id, tag and extensions
  std::vector<Step> steps;
  // Set if the steps match the runtime's manifest: the file then needs no description, and a reader
  // that knows the manifest gets what it expects.
  std::shared_ptr<const ManifestEvent> manifest;
  std::size_t payload = kNoField;
  std::size_t extra = kNoField;
  std::size_t processor = kNoField;
  std::size_t capture_thread = kNoField;
  std::size_t thread = kNoField;
  std::size_t stack = kNoField;

  // By the extensions that are part of the type (extension_index()); 0: not written yet.
  std::array<std::uint32_t, 16> metadata_ids{};

  static EventPlan of(const trace::Event& event, ConversionReport& report);

 private:
  void leave_out_what_is_known(const trace::Site& site);
};

// The index of those extensions of a record that its metadata contains: 0 to 15.
std::size_t extension_index(std::uint32_t ext_flags);

// Appends the payload of the record: its fields, and its extensions.
void append_payload(const EventPlan& plan, const trace::Event& event, std::string& out,
                    ConversionReport& report);

// The metadata record after its id. `site`: the tag of a statement that is not foreign.
std::string metadata_payload(const Metadata& metadata, std::string_view site);

}  // namespace ringside::tool::nettrace
