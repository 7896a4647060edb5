#include "consumerd/poll/left_staging.hpp"

#include "consumerd/write/recovery.hpp"

namespace ringside::consumer {

void LeftStaging::recover() {
  recover_all_staging(shm_dir_, log_, &unrecovered_, durable_);
}

void LeftStaging::retry() {
  if (unrecovered_.empty()) return;
  unrecovered_.clear();
  recover();
}

bool LeftStaging::report_unrecovered() const {
  for (const std::string& name : unrecovered_) {
    log_.error("not recovered: " + shm_dir_ + "/" + name +
                   ", which a dead consumerd left; run consumerd again when its files are writable",
               {{"file", name}});
  }
  return !unrecovered_.empty();
}

}  // namespace ringside::consumer
