#pragma once
// Predicts the records per second of a machine from the costs of one record.

#include <algorithm>
#include <cstdint>

namespace ringside::perf {

struct RecordCosts {
  double producer_ns = 0;  // processor time of the logging thread
  double consumer_ns = 0;  // processor time of consumerd, kernel included
  double file_bytes = 0;
};

struct Machine {
  double cores = 2;
  double disk_bytes_per_s = 0;  // 0: no limit
  double encoders = 1;          // threads that drain rings: one for each consumerd
};

// The minimum of four rates: of the threads, of the encoders, of all cores together, and of
// the disk.
//
//   rate <= threads / producer_ns
//   rate <= encoders / consumer_ns
//   rate <= cores / (producer_ns + consumer_ns)
//   rate <= disk / file_bytes
inline double records_per_s(const RecordCosts& costs, const Machine& machine,
                            std::uint32_t threads) {
  double rate = std::min(threads / costs.producer_ns, machine.encoders / costs.consumer_ns);
  rate = std::min(rate, machine.cores / (costs.producer_ns + costs.consumer_ns)) * 1e9;
  if (machine.disk_bytes_per_s > 0) {
    rate = std::min(rate, machine.disk_bytes_per_s / costs.file_bytes);
  }
  return rate;
}

}  // namespace ringside::perf
