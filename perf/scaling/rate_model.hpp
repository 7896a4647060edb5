#pragma once
// How many records a second a machine carries, from the costs of one record.

#include <algorithm>
#include <cstdint>

namespace ringside::perf {

struct RecordCosts {
  double producer_ns = 0;  // processor time of the thread that logs
  double consumer_ns = 0;  // processor time of consumerd, kernel included
  double file_bytes = 0;
};

struct Machine {
  double cores = 2;
  double disk_bytes_per_s = 0;  // 0: no limit
};

// The least of what the threads can log, what one consumerd can take, what the cores can do in all,
// and what the disk takes.
//
//   rate <= threads / producer_ns
//   rate <= 1 / consumer_ns
//   rate <= cores / (producer_ns + consumer_ns)
//   rate <= disk / file_bytes
inline double records_per_s(const RecordCosts& costs, const Machine& machine,
                            std::uint32_t threads) {
  double rate = std::min(threads / costs.producer_ns, 1 / costs.consumer_ns);
  rate = std::min(rate, machine.cores / (costs.producer_ns + costs.consumer_ns)) * 1e9;
  if (machine.disk_bytes_per_s > 0) {
    rate = std::min(rate, machine.disk_bytes_per_s / costs.file_bytes);
  }
  return rate;
}

}  // namespace ringside::perf
