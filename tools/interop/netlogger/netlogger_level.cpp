#include "tools/interop/netlogger/netlogger_level.hpp"

#include "shm-layout/ulm_level.hpp"

namespace ringside::tool::netlogger {

std::optional<shm::Level> level_of(std::string_view name) {
  return shm::ulm_level_of(name);
}

}  // namespace ringside::tool::netlogger
