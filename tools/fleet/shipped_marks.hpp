#pragma once
// Tells consumerd which files are shipped (trace-format/README.md, "Shipped marks").

#include <cstdint>
#include <string>

#include "tools/fleet/extent_message.hpp"

namespace ringside::fleet {

// Replaces the mark of the segment beside `path`, one of its trace files: all of its files with a
// number below `next_file` are stored by the server. False with `*why`.
bool save_shipped_mark(const std::string& path, const SegmentUuid& uuid, std::uint32_t next_file,
                       std::string* why);

// Whether the section was written before the machine was started. False if that is not known.
bool is_of_earlier_boot(const SegmentUuid& boot_id);

}  // namespace ringside::fleet
