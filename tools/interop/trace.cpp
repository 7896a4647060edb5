#include "tools/interop/include/ringside-interop/trace.hpp"

#include <utility>

#include "tools/interop/opened_trace.hpp"

namespace ringside::interop {

struct Trace::Impl {
  std::unique_ptr<tool::OpenedTrace> opened;
};

Trace::Trace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

bool Trace::next(trace::Event& event) {
  return impl_->opened->events->next(event);
}

const trace::ReadReport& Trace::report() const {
  return impl_->opened->events->report();
}

const std::vector<std::string>& Trace::paths() const {
  return impl_->opened->paths;
}

std::optional<Trace> open_trace(std::span<const std::string> paths, OpenOptions options,
                                std::vector<Diagnostic>* diagnostics) {
  auto opened = tool::open_inputs(paths, std::move(options), diagnostics);
  if (opened == nullptr) return {};
  return Trace(std::make_unique<Trace::Impl>(Trace::Impl{std::move(opened)}));
}

}  // namespace ringside::interop
