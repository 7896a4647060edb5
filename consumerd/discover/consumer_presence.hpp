#pragma once
// Shows in the shared-memory directory that this consumerd runs (shm-layout/consumer_presence.hpp).

#include <string>

#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

class ConsumerPresence {
 public:
  ConsumerPresence() = default;
  ~ConsumerPresence() { withdraw(); }
  ConsumerPresence(const ConsumerPresence&) = delete;
  ConsumerPresence& operator=(const ConsumerPresence&) = delete;

  // Shows the services of `users` in `shm_dir` that their segments will be drained, until
  // withdraw() or the end of the process. On failure returns false with `why` (what, where,
  // remedy).
  bool show(const std::string& shm_dir, const AllowedUsers& users, std::string* why);
  // Whether services can find the file: it still has its name.
  bool reachable() const;
  // Removes the file unless another consumerd uses it.
  void withdraw();

 private:
  std::string path_;
  UniqueFd fd_;
};

}  // namespace ringside::consumer
