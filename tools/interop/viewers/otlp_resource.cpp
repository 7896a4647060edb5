#include "tools/interop/viewers/otlp_resource.hpp"

#include "tools/interop/viewers/otlp_values.hpp"

namespace ringside::tool::otlp {

using trace::TextSink;

std::string resource_of(const trace::SegmentInfo& segment, std::uint32_t pid) {
  TextSink out;
  put_attribute(out, "service.name", segment.service);
  out.put(',');
  put_attribute(out, "process.pid", pid);
  if (!segment.executable.empty()) {
    out.put(',');
    put_attribute(out, "process.executable.path", segment.executable);
  }
  if (!segment.host.empty()) {
    out.put(',');
    put_attribute(out, "host.name", segment.host);
  }
  return std::string(out.text());
}

std::string attributes_of(const SourceThread& source) {
  if (!source.is_thread) return {};
  TextSink out;
  out.put(',');
  put_attribute(out, "thread.id", source.id);
  if (!source.name.empty()) {
    out.put(',');
    put_attribute(out, "thread.name", source.name);
  }
  return std::string(out.text());
}

}  // namespace ringside::tool::otlp
