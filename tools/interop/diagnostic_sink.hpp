#pragma once
// Where an operation that lasts reports what it finds out, at once.

#include <functional>
#include <string>
#include <utility>

#include "tools/interop/include/ringside-interop/diagnostic.hpp"

namespace ringside::tool {

using DiagnosticSink = std::function<void(const interop::Diagnostic& diagnostic)>;

inline interop::Diagnostic note(std::string message) {
  return {interop::Severity::kNote, std::move(message)};
}
inline interop::Diagnostic damage(std::string message) {
  return {interop::Severity::kDamage, std::move(message)};
}
inline interop::Diagnostic failure(std::string message) {
  return {interop::Severity::kError, std::move(message)};
}

}  // namespace ringside::tool
