#include "consumerd/placement/placement.hpp"

#include <cerrno>
#include <sched.h>

namespace ringside::consumer {

void Placement::begin(const std::string& system_dir) {
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) != 0) {
    return log_.error("cannot choose a processor: " + error_text(errno) +
                      "; --cpu auto has no effect");
  }
  for (std::size_t processor = 0; processor < allowed_.size(); ++processor) {
    allowed_[processor] = CPU_ISSET(processor, &own) != 0;
  }
  map_ = ProcessorMap::read(system_dir);
  if (map_.caches.empty() && map_.nodes.empty()) {
    log_.notice(system_dir + " does not describe the processors; --cpu auto has no effect");
    allowed_.reset();
  }
}

void Placement::follow(const BytesByProcessor& producers) {
  if (!is_on()) return;
  const ProcessorSet near = near_processors(map_, allowed_, producers);
  if (near.none() || near == present_) {
    wanted_ = present_;
    return;
  }
  if (near != wanted_) {
    wanted_ = near;
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t processor = 0; processor < near.size(); ++processor) {
    if (near[processor]) CPU_SET(processor, &set);
  }
  present_ = near;  // also if it is refused: not again for the same processors
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    return log_.error("cannot run on processors " + processor_list(near) + ": " +
                      error_text(errno) + "; set --cpu to another processor");
  }
  log_.detail("running on processors " + processor_list(near) + ", near the services",
              {{"processors", processor_list(near)}});
}

}  // namespace ringside::consumer
