/* The name of quill's header, for sources that stay unchanged. */
#pragma once
#include <ringside/compat/quill.hpp>

namespace quill {

/// A clock of the service's own. It is never read: Ringside stamps records itself.
class UserClockSource {
 public:
  UserClockSource() { compat::report_sink(); }
  virtual ~UserClockSource() = default;
  virtual std::uint64_t now() const = 0;
};

}  // namespace quill
