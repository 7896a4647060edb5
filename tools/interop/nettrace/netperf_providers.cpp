#include "tools/interop/nettrace/netperf_providers.hpp"

#include <string_view>

#include "tools/interop/nettrace/nettrace_manifest.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"

namespace ringside::tool::nettrace {
namespace {

struct Provider {
  std::string_view guid;
  std::string_view name;
};

// Those whose GUID does not follow from their name, as the runtime and PerfView define them. For
// other providers the GUID is a digest of the name.
constexpr Provider kKnownProviders[] = {
    {"e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", kRuntimeProvider},
    {"a669021c-c450-4609-a035-5af59af4df18", kRundownProvider},
    {"cc2bcbba-16b6-4cf3-8990-d74c2e8af500", kStressProvider},
    {"763fd754-7086-4dfe-95eb-c01a46faf4ca", "Microsoft-Windows-DotNETRuntimePrivate"},
    {"3c530d44-97ae-513a-1e6d-783e8f8e03a9", kSamplerProvider},
    {"2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", "System.Threading.Tasks.TplEventSource"},
    {"8e9f5090-2d75-4d03-8a81-e5afbf85daf1", "System.Diagnostics.Eventing.FrameworkEventSource"},
};

}  // namespace

std::string name_of_provider(std::span<const std::byte> guid) {
  std::string text = guid_text(guid);
  for (const Provider& known : kKnownProviders) {
    if (known.guid == text) return std::string(known.name);
  }
  return text;
}

}  // namespace ringside::tool::nettrace
