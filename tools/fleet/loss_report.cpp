#include "tools/fleet/loss_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/fleet/extent_subject.hpp"

namespace ringside::fleet {
namespace {

constexpr int kLossReportVersion = 1;

}  // namespace

std::string loss_subject(const std::string& tenant, const LossReport& report) {
  return fmt::format("rs.loss.{}.{}.{}", subject_part(tenant), subject_part(report.host),
                     subject_part(report.service));
}

std::string write_loss_report(const LossReport& report) {
  using nlohmann::json;
  return json{{"version", kLossReportVersion}, {"host", report.host},   {"service", report.service},
              {"segment", report.segment},     {"cause", report.cause}, {"records", report.records},
              {"message", report.message}}
      .dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace ringside::fleet
