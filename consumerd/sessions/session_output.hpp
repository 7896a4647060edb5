#pragma once
// Where sessions may write: the sandbox allows a few directories, and so does consumerd without it.

#include <string>
#include <vector>

#include "consumerd/sessions/session_spec.hpp"

namespace ringside::consumer {

// The output directory of the main trace, and directories that the configuration adds. All are
// absolute, without links.
struct SessionRoots {
  std::string main_output;
  std::vector<std::string> others;
};

// Whether a session may write to `spec.output_dir`: an existing directory of this user below one of
// the roots, that only this user and its group can write to. With `fresh`, it must not contain
// trace files. Otherwise false with `*why`: what, and the remedy.
bool may_write_session(const SessionSpec& spec, const SessionRoots& roots, bool fresh,
                       std::string* why);

}  // namespace ringside::consumer
