#pragma once
// Calls of code that is not Ringside's: its exceptions end here.

#include <exception>

namespace ringside::detail {

// Calls `function`, or after an exception `failed` with its text. Sources may be compiled without
// exceptions: then nothing is caught.
template <class Function, class Failed>
void call_guarded(Function function, [[maybe_unused]] Failed failed) {
#if defined(__cpp_exceptions)
  try {
    function();
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("unknown exception");
  }
#else
  function();
#endif
}

}  // namespace ringside::detail
