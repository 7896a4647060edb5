#include "tools/symbols/demangled_name.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace ringside::tool {
namespace {

// The demangler is recursive, and names of a trace are untrusted.
constexpr std::size_t kMostBytes = 4096;

}  // namespace

std::string demangled_type(const std::string& name) {
  if (name.size() > kMostBytes) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? plain.get() : name;
}

std::string demangled_function(const std::string& name) {
  return name.starts_with("_Z") ? demangled_type(name) : name;
}

}  // namespace ringside::tool
