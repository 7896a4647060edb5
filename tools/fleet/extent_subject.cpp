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

std::string_view part_of(std::string_view subject, std::size_t place) {
  for (; place != 0; --place) {
    const std::size_t point = subject.find('.');
    if (point == std::string_view::npos) return {};
    subject.remove_prefix(point + 1);
  }
  return subject.substr(0, subject.find('.'));
}

}  // namespace

std::string extent_subject(std::string_view tenant, std::string_view host, std::string_view service,
                           const SegmentUuid& uuid, std::string_view snapshot) {
  std::string subject = std::string(kPrefix) + subject_part(tenant) + own_part(host, service, uuid);
  if (!snapshot.empty()) subject += "." + subject_part(snapshot);
  return subject;
}

std::optional<ExtentSubject> read_extent_subject(std::string_view subject, std::string_view host,
                                                 std::string_view service,
                                                 const SegmentUuid& uuid) {
  if (!subject.starts_with(kPrefix)) return {};
  subject.remove_prefix(kPrefix.size());
  const std::size_t tenant_bytes = std::min(subject.find('.'), subject.size());
  ExtentSubject read{std::string(subject.substr(0, tenant_bytes)), {}};
  subject.remove_prefix(tenant_bytes);
  const std::string own = own_part(host, service, uuid);
  if (read.tenant != subject_part(read.tenant) || !subject.starts_with(own)) return {};
  subject.remove_prefix(own.size());
  if (subject.empty()) return read;
  read.snapshot = subject.substr(1);
  if (subject.front() != '.' || read.snapshot != subject_part(read.snapshot)) return {};
  return read;
}

std::string snapshot_of(std::string_view subject) {
  constexpr int kTokensBefore = 6;
  for (int token = 0; token < kTokensBefore; ++token) {
    const std::size_t point = subject.find('.');
    if (point == std::string_view::npos) return {};
    subject.remove_prefix(point + 1);
  }
  return std::string(subject);
}

std::optional<Publisher> publisher_of(std::string_view subject) {
  if (!subject.starts_with(kPrefix)) return {};
  subject.remove_prefix(kPrefix.size());
  const std::size_t tenant_end = subject.find('.');
  if (tenant_end == std::string_view::npos) return {};
  const std::size_t host_end = subject.find('.', tenant_end + 1);
  if (host_end == std::string_view::npos) return {};
  return Publisher{std::string(subject.substr(0, tenant_end)),
                   std::string(subject.substr(tenant_end + 1, host_end - tenant_end - 1))};
}

std::string_view tenant_of(std::string_view subject) {
  return part_of(subject, 2);
}

std::string dead_letter_subject(std::string_view subject) {
  return "rs.dead." + subject_part(tenant_of(subject)) + "." + subject_part(part_of(subject, 3));
}

}  // namespace ringside::fleet
