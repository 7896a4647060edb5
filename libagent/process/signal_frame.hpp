#pragma once

namespace ringside {

// Whether the caller runs within a signal handler: whether the present stack has the kernel's frame
// of one above the caller's. Also true if this cannot be determined. Does not find a handler that
// has switched to another stack. No lock; about a microsecond, plus some for each page of stack if
// there is no handler.
bool runs_in_signal_handler();
// False under ThreadSanitizer, where the function above always returns true.
bool can_see_signal_frames();

}  // namespace ringside
