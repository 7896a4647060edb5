#pragma once
// A statement whose records have stacks has a second site entry, after its own one and with an id
// of its own. It is equal except for the id, this flag and one field more, which is the last one:
// `stack`, an array of pointers. Records with a stack have the second id. Its switch is not used.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::uint8_t kSiteWithStack = 1U << 1;  // of SiteDescription::flags

}  // namespace ringside::shm
