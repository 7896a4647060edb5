// Why the server cannot run: an error of the outside world, reported to the operator.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace kvd {

struct Failure {
  std::string what;
  std::string remedy;
};

// "<what>: <the system's text for error_number>".
[[nodiscard]] inline Failure system_failure(std::string_view what, int error_number,
                                            std::string_view remedy) {
  return {std::string(what) + ": " + std::system_category().message(error_number),
          std::string(remedy)};
}

}  // namespace kvd
