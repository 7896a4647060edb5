#pragma once
// A new or renamed file has its name on the disk only when its directory is synced.

#include <string>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

// Opens the directory of an absolute path. Empty with errno on failure.
UniqueFd open_directory_of(const std::string& path);

// Makes the names in that directory durable. False with errno on failure.
bool sync_directory_of(const std::string& path);

}  // namespace ringside::consumer
