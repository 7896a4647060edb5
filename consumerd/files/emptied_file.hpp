#pragma once
// A trace file whose records were removed before they were shipped.

#include <cstdint>
#include <string>

#include "consumerd/files/closed_files.hpp"

namespace ringside::consumer {

enum class Emptied : std::uint8_t {
  kYes,
  kNoSpace,  // the file that states the loss cannot be written; `why`
  kFailed,   // another failure; `why`
};

// Replaces a closed file by a small one with the same name, without records: it states the lost
// ones, by stream and number, with the cause `unshipped`, so that who reads it, or what is shipped
// of it, shows them (trace-format/README.md, "Emptied files"). A file without a section is removed.
// Keeps the time of last change. Adds the file's records to `*records`. On failure the file stays
// as it is. Call it with the claim of an unpacked file (claim_trace_file()), and then
// finish_emptying().
Emptied empty_trace_file(const std::string& output_dir, const ClosedFile& file,
                         std::uint64_t* records, std::string* why);

// Removes the packed form of a file whose unpacked form is emptied: a process that died can have
// left it, too. Updates what `file` states. False with `*why` if it cannot be removed.
bool finish_emptying(const std::string& output_dir, ClosedFile* file, std::string* why);

}  // namespace ringside::consumer
