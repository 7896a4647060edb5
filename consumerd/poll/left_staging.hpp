#pragma once
// The staging files that dead consumerds have left when this one starts.

#include <string>
#include <vector>

#include "consumerd/log/log.hpp"

namespace ringside::consumer {

class LeftStaging {
 public:
  // `durable`: what is recovered is synced. `log` must outlive it.
  LeftStaging(const std::string& shm_dir, bool durable, const Log& log)
      : shm_dir_(shm_dir), durable_(durable), log_(log) {}

  void recover();
  // Tries those again whose recovery failed.
  void retry();
  // Whether any is not recovered. Logs these.
  bool report_unrecovered() const;

 private:
  const std::string shm_dir_;
  const bool durable_;
  const Log& log_;
  std::vector<std::string> unrecovered_;  // names of files
};

}  // namespace ringside::consumer
