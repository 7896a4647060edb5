#pragma once
// The metrics of all services, by name: all processes of a service together, including those that
// have ended.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "consumerd/metrics/service_metrics.hpp"

namespace ringside::consumer {

struct ServiceRow {
  std::string service;
  ServiceTotals totals;
  ServiceState state;
  std::uint64_t processes = 0;
};

// Bounded, because any user who can create segments can create names. When the table is full, the
// service whose last process ended longest ago is removed (it counts from 0 if it returns); while
// all services run, new ones share the row kOthers.
class ServiceTable {
 public:
  static constexpr std::size_t kMostServices = 4096;
  static constexpr const char* kOthers = "(others)";  // no service's name has brackets

  explicit ServiceTable(std::size_t most_services = kMostServices) : most_(most_services) {}
  ServiceTable(const ServiceTable&) = delete;
  ServiceTable& operator=(const ServiceTable&) = delete;

  // The row in which a new process of the service is counted; valid until it leaves.
  class Row;
  Row* enter(const std::string& service);
  // Adds the increase of the totals.
  static void count(Row* row, const ServiceTotals& before, const ServiceTotals& now);
  void leave(Row* row);

  // States are present values: cleared, and then gathered from every process.
  void clear_states();
  static void add_state(Row* row, const ServiceState& state);

  std::vector<ServiceRow> rows() const;

  class Row {
    friend class ServiceTable;
    ServiceTotals totals_;
    ServiceState state_;
    std::uint64_t processes_ = 0;
    std::uint64_t ended_ = 0;  // the sequence number of the end of its last process
  };

 private:
  bool make_room();

  const std::size_t most_;
  std::map<std::string, Row> rows_;
  Row others_;
  bool others_used_ = false;
  std::uint64_t ends_ = 0;
};

}  // namespace ringside::consumer
