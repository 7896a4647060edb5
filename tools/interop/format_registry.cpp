#include "tools/interop/format_registry.hpp"

#include "tools/interop/ctf/ctf_descriptor.hpp"
#include "tools/interop/heph/heph_descriptor.hpp"
#include "tools/interop/json/json_descriptors.hpp"
#include "tools/interop/nanolog/nanolog_descriptor.hpp"
#include "tools/interop/netlogger/netlogger_descriptors.hpp"
#include "tools/interop/nettrace/nettrace_descriptor.hpp"
#include "tools/interop/perfetto/perfetto_descriptor.hpp"
#include "tools/interop/ringtrace_descriptor.hpp"
#include "tools/interop/tptp/tptp_descriptors.hpp"
#include "tools/interop/viewers/viewer_descriptors.hpp"

namespace ringside::tool {
namespace {

// By name. Formats that are recognised by weak evidence come after those with strong evidence.
constexpr const ForeignFormat* kFormats[] = {
    &kCsvFormat,
    &kHephFormat,
    &kCtfFormat,
    &kNanoLogFormat,
    &kNetTraceFormat,
    &kFoldedFormat,
    &kOtlpFormat,
    &kRingtraceFormat,
    &kRowBinaryFormat,
    &kRowBinary18Format,
    &kRowBinarySchemaFormat,
    &kRowBinarySchema18Format,
    &kSpeedscopeFormat,
    &kTrcBinFormat,
    &kTrcXmlFormat,
    &kTrcBinTotalsFormat,
    &kTrcXmlTotalsFormat,
    &kChromeFormat,
    &kNdJsonFormat,
    &kPerfettoFormat,
    &kNetLoggerFormat,
    &kNetLogger10Format,
    &kUlmFormat,
};

template <class Has>
std::string names_of(Has&& has) {
  std::string names;
  for (const ForeignFormat* const format : kFormats) {
    if (!has(*format)) continue;
    if (!names.empty()) names += ", ";
    names += format->name;
  }
  return names;
}

}  // namespace

std::span<const ForeignFormat* const> foreign_formats() {
  return kFormats;
}

const ForeignFormat* find_foreign_format(std::string_view name) {
  for (const ForeignFormat* const format : kFormats) {
    if (format->name == name) return format;
  }
  return nullptr;
}

const ForeignFormat* recognise_format(std::span<const std::byte> first_bytes) {
  for (const ForeignFormat* const format : kFormats) {
    if (format->recognise != nullptr && format->recognise(first_bytes)) return format;
  }
  return nullptr;
}

const ForeignFormat* recognise_directory_format(const std::string& path) {
  for (const ForeignFormat* const format : kFormats) {
    if (format->recognise_directory != nullptr && format->recognise_directory(path)) return format;
  }
  return nullptr;
}

std::string names_of_read_formats() {
  return names_of(
      [](const ForeignFormat& f) { return f.read != nullptr || f.read_directory != nullptr; });
}

std::string names_of_collected_formats() {
  return names_of([](const ForeignFormat& f) { return f.collect != nullptr; });
}

std::string names_of_forwarded_formats() {
  return names_of([](const ForeignFormat& f) { return f.forwards; });
}

std::string names_of_written_formats() {
  return names_of(
      [](const ForeignFormat& f) { return f.write != nullptr || f.write_directory != nullptr; });
}

}  // namespace ringside::tool
