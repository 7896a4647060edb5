#include "tools/fleet/fleet_metrics.hpp"

#include <exception>
#include <mutex>
#include <utility>

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>

namespace ringside::fleet {

// Not in an unnamed namespace: FleetMetrics::Server has one.
class LastMetrics : public prometheus::Collectable {
 public:
  void update(std::vector<FleetMetric> metrics) {
    const std::lock_guard lock(mutex_);
    metrics_ = std::move(metrics);
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    std::vector<prometheus::MetricFamily> families;
    for (const FleetMetric& metric : metrics_) {
      prometheus::MetricFamily& family = families.emplace_back();
      family.name = metric.name;
      family.help = metric.help;
      prometheus::ClientMetric& value = family.metric.emplace_back();
      if (metric.type == FleetMetric::Type::kCounter) {
        family.type = prometheus::MetricType::Counter;
        value.counter.value = metric.value;
      } else {
        family.type = prometheus::MetricType::Gauge;
        value.gauge.value = metric.value;
      }
    }
    return families;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<FleetMetric> metrics_;
};

struct FleetMetrics::Server {
  explicit Server(const std::string& address) : exposer(address, 1) {
    exposer.RegisterCollectable(last);
  }

  std::shared_ptr<LastMetrics> last = std::make_shared<LastMetrics>();
  prometheus::Exposer exposer;
};

FleetMetrics::FleetMetrics(std::unique_ptr<Server> server) : server_(std::move(server)) {}

FleetMetrics::~FleetMetrics() = default;

std::unique_ptr<FleetMetrics> FleetMetrics::open(const std::string& address, std::string* why) {
  try {
    return std::unique_ptr<FleetMetrics>(new FleetMetrics(std::make_unique<Server>(address)));
  } catch (const std::exception& error) {
    *why = "cannot serve metrics at '" + address + "': " + error.what() +
           "; use --metrics ADDRESS:PORT with a free port";
    return nullptr;
  }
}

void FleetMetrics::update(std::vector<FleetMetric> metrics) {
  server_->last->update(std::move(metrics));
}

}  // namespace ringside::fleet
