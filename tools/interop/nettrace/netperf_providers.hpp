#pragma once
// Names of providers that files of version 1 identify by a GUID only.

#include <span>
#include <string>

namespace ringside::tool::nettrace {

// The name of a known provider, else the text of the GUID. `guid`: its 16 bytes in the file.
std::string name_of_provider(std::span<const std::byte> guid);

}  // namespace ringside::tool::nettrace
