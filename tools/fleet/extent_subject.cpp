#include "tools/fleet/extent_subject.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/fleet/trace_segments.hpp"

namespace ringside::fleet {
namespace {

constexpr std::string_view kPrefix = "rs.ext.";
constexpr std::size_t kMostPartBytes = 100;

// What follows the tenant.
std::string own_part(std::string_view host, std::string_view service, const SegmentUuid& uuid) {
  return fmt::format(".{}.{}.{}", subject_part(host), subject_part(service), uuid_text(uuid));
}

std::string_view part_of(std::string_view subject, std::size_t place) {
  for (; place != 0; --place) {
    const std::size_t point = subject.find('.');
    if (point == std::string_view::npos) return {};
    subject.remove_prefix(point + 1);
  }
  return subject.substr(0, subject.find('.'));
}

}  // namespace

std::string subject_part(std::string_view name) {
  std::string part(name.substr(0, kMostPartBytes));
  std::replace_if(
      part.begin(), part.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_');
      },
      '_');
  return part.empty() ? "_" : part;
}

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

std::string_view tenant_of(std::string_view subject) {
  return part_of(subject, 2);
}

std::string dead_letter_subject(std::string_view subject) {
  return "rs.dead." + subject_part(tenant_of(subject)) + "." + subject_part(part_of(subject, 3));
}

}  // namespace ringside::fleet
