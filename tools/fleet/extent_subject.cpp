#include "tools/fleet/extent_subject.hpp"

#include <fmt/format.h>

#include "tools/fleet/trace_segments.hpp"

namespace ringside::fleet {
namespace {

constexpr std::string_view kPrefix = "rs.ext.";

// What follows the tenant.
std::string own_part(std::string_view host, std::string_view service, const SegmentUuid& uuid) {
  return fmt::format(".{}.{}.{}", subject_part(host), subject_part(service), uuid_text(uuid));
}

}  // namespace

std::string extent_subject(std::string_view tenant, std::string_view host, std::string_view service,
                           const SegmentUuid& uuid) {
  return std::string(kPrefix) + subject_part(tenant) + own_part(host, service, uuid);
}

bool is_extent_subject(std::string_view subject, std::string_view host, std::string_view service,
                       const SegmentUuid& uuid) {
  const std::string own = own_part(host, service, uuid);
  if (!subject.starts_with(kPrefix) || !subject.ends_with(own)) return false;
  if (subject.size() <= kPrefix.size() + own.size()) return false;
  const auto tenant = subject.substr(kPrefix.size(), subject.size() - kPrefix.size() - own.size());
  return tenant == subject_part(tenant);
}

}  // namespace ringside::fleet
