#pragma once
// The exit statuses of ringrun; otherwise it ends as the program does. The same as those of env(1).

namespace ringside::tool {

constexpr int kRunOk = 0;        // of --help and --version
constexpr int kRunFailed = 125;  // ringrun itself failed, or invalid usage
constexpr int kRunNotExecutable = 126;
constexpr int kRunNotFound = 127;
constexpr int kRunSignalBase = 128;  // plus the signal that ended the program

}  // namespace ringside::tool
