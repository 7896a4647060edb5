#pragma once
// Metrics of ringship and ringsink for Prometheus, by HTTP.

#include <memory>
#include <string>
#include <vector>

namespace ringside::fleet {

struct FleetMetric {
  enum class Type : std::uint8_t { kCounter, kGauge };

  const char* name;
  const char* help;
  Type type;
  double value;
};

// A thread serves /metrics; update() can be called by another.
class FleetMetrics {
 public:
  // `address`: HOST:PORT. Null with `*why` if it cannot listen there.
  static std::unique_ptr<FleetMetrics> open(const std::string& address, std::string* why);
  ~FleetMetrics();
  FleetMetrics(const FleetMetrics&) = delete;
  FleetMetrics& operator=(const FleetMetrics&) = delete;

  void update(std::vector<FleetMetric> metrics);

 private:
  struct Server;
  explicit FleetMetrics(std::unique_ptr<Server> server);
  std::unique_ptr<Server> server_;
};

}  // namespace ringside::fleet
