#pragma once
// The rings of flight recorders on this host, as trace files.

#include <functional>
#include <string>
#include <vector>

namespace ringside::fleet {

// Copies what the rings of services with the policy overwrite hold now to a file for each in
// `directory`, which exists. The rings remain as they are: a snapshot by consumerd has the same
// records later. `services`: globs, of which one must match; none: all. `complain`
// gets the reasons for segments that cannot be read. Returns the number of files.
std::size_t copy_flight_recorders(const std::string& shm_dir,
                                  const std::vector<std::string>& services,
                                  const std::string& directory,
                                  const std::function<void(const std::string&)>& complain);

}  // namespace ringside::fleet
