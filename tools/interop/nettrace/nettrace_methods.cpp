#include "tools/interop/nettrace/nettrace_methods.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/interop/nettrace/nettrace_manifest.hpp"
#include "tools/interop/per_site.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool::nettrace {
namespace {

using shm::FieldType;

constexpr std::string_view kManyMethods =
    "methods are left out, their addresses remain numbers: a process has at most 4 million, with "
    "512 MiB of names";

constexpr std::size_t kNone = SIZE_MAX;

// The positions of the fields of a runtime event.
struct MethodFields {
  std::size_t id = kNone;
  std::size_t module = kNone;
  std::size_t start = kNone;
  std::size_t bytes = kNone;
  std::size_t type = kNone;
  std::size_t name = kNone;
  std::size_t path = kNone;
  std::size_t native_path = kNone;
  std::size_t entry = kNone;

  static MethodFields of(const trace::Site& site) {
    MethodFields fields;
    if (site.category != kRuntimeProvider && site.category != kRundownProvider) return fields;
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      const trace::Field& field = site.fields[i];
      if (field.is_array) continue;
      const auto take = [&](std::string_view wanted, FieldType wanted_type, std::size_t& index) {
        if (field.type == wanted_type && field.name == wanted) index = i;
      };
      take("MethodID", FieldType::u64, fields.id);
      take("ModuleID", FieldType::u64, fields.module);
      take("MethodStartAddress", FieldType::u64, fields.start);
      take("MethodSize", FieldType::u32, fields.bytes);
      take("MethodNamespace", FieldType::string, fields.type);
      take("MethodName", FieldType::string, fields.name);
      take("ModuleILPath", FieldType::string, fields.path);
      take("ModuleNativePath", FieldType::string, fields.native_path);
      take("EntryPoint", FieldType::u64, fields.entry);
    }
    return fields;
  }

  bool tells_method() const { return start != kNone && bytes != kNone; }
  bool tells_name() const { return id != kNone && type != kNone && name != kNone; }
  bool tells_module() const { return module != kNone && path != kNone; }
};

bool add(MethodNames& methods, const MethodFields& fields, std::span<const trace::Value> args) {
  const auto number = [args](std::size_t field) {
    return field == kNone ? std::uint64_t{0} : args[field].u64;
  };
  const auto text = [args](std::size_t field) {
    return field == kNone ? std::string_view() : args[field].text;
  };
  if (fields.tells_module()) {
    const std::string_view path = text(fields.path);
    return methods.add_module(number(fields.module),
                              path.empty() ? text(fields.native_path) : path);
  }
  if (fields.tells_method()) {
    return methods.add(
        {number(fields.id), number(fields.module), number(fields.start), number(fields.bytes)},
        text(fields.type), text(fields.name));
  }
  return methods.add_name(number(fields.id), text(fields.type), text(fields.name)) &&
         methods.add_entry(number(fields.id), number(fields.entry));
}

}  // namespace

std::shared_ptr<const MethodsByProcess> read_methods(std::span<const std::string> paths,
                                                     ConversionReport& report) {
  auto processes = std::make_shared<MethodsByProcess>();
  trace::ReadOptions wanted;
  wanted.losses = false;
  wanted.site = [](const trace::Site& site, const trace::SegmentInfo&) {
    const MethodFields fields = MethodFields::of(site);
    return fields.tells_method() || fields.tells_name() || fields.tells_module();
  };
  trace::ReadError error;
  auto set = paths.empty() ? std::nullopt : trace::TraceSet::open(paths, wanted, &error);
  if (!set) return processes;
  PerSite<MethodFields> sites;
  trace::Event event;
  while (set->next(event)) {
    if (event.kind != trace::EventKind::kRecord) continue;
    if (sites.is_full()) sites.clear();
    const MethodFields& fields = sites.of(event, MethodFields::of);
    if (!add((*processes)[event.segment->uuid], fields, event.record.args)) {
      report.lost(kManyMethods);
    }
  }
  for (auto& [process, methods] : *processes) methods.finish();
  return processes;
}

}  // namespace ringside::tool::nettrace
