#pragma once
// Access to the segment: its mode and group.

#include <optional>
#include <string_view>

#include <sys/types.h>

#include "libagent/include/ringside/ringside.hpp"

namespace ringside {

// The number of a group from its decimal number, or from its name in /etc/group. Reads only that
// file: the C library's getgrnam() may load libraries, allocate, ask a server and wait, none of
// which may happen under a lock or in a service's first log call. No allocation.
std::optional<gid_t> group_number(std::string_view group);

struct AccessFailure {
  std::string_view what;  // the path follows
  int error;
  std::string_view remedy;
};

// Gives the file, created with mode 0600, the group and then the mode of the options.
std::optional<AccessFailure> let_in(int fd, const Options& options);

}  // namespace ringside
