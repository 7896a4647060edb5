#pragma once
// A CTF event class: a statement, or a statement whose records have extensions, with its
// declaration for the metadata and the encoding of its records.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool::ctf {

// Type aliases, placed before the declarations that use them. All are aligned to bytes, so that a
// record of numbers has the same bytes as in a ring.
extern const std::string_view kTypeAliases;

// The declaration for records of `site` with the extensions `ext_flags`; shm::kExtDuration is in
// nanoseconds.
struct EventDeclaration {
  std::string facts;  // JSON: what CTF's metadata has no place for
  std::string body;   // of "event { ... }", without the id
};
EventDeclaration declare_event(const trace::Site& site, std::uint32_t ext_flags);

// Appends the payload of a record. `duration_ns` is used if the record has a duration.
void append_payload(const trace::Site& site, const trace::Record& record, std::uint64_t duration_ns,
                    std::string& packet, ConversionReport& report);

// Appends the text up to its first NUL, and a NUL.
void append_text(std::string_view text, std::string& packet, ConversionReport& report);

// The text as a literal of TSDL.
std::string quoted_tsdl(std::string_view text);

}  // namespace ringside::tool::ctf
