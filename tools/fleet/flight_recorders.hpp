#pragma once
// The rings of flight recorders on this host, as trace files.

#include <string>
#include <vector>

namespace ringside::fleet {

// Copies what the rings of services with the policy overwrite hold now to a file for each in
// `directory`, which exists. The rings remain as they are: a snapshot by consumerd has the same
// records later. `services`: globs, of which one must match; none: all. False with
// `*why`, the first reason, if not all can be copied.
bool copy_flight_recorders(const std::string& shm_dir, const std::vector<std::string>& services,
                           const std::string& directory, std::string* why);

}  // namespace ringside::fleet
