#pragma once
// The destination of messages. Writing never waits for a reader: a full pipe, a stopped terminal or
// a socket that is not read refuses the message. Other processes share the open file description of
// standard error, so its flags are not changed.

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer {

class MessageOutput {
 public:
  // Call before the sandbox is entered: it may open the file of `fd` a second time.
  explicit MessageOutput(int fd);

  // False if no part of the line was taken. The rest of a line that was taken in part is written by
  // the next calls, before anything else.
  bool write(std::string_view line);

 private:
  enum class Way {
    kDirect,  // a regular file, or a type that is not known to block
    kOwn,     // through own_, which is non-blocking
    kSocket,
    kPolled,  // only as many bytes as certainly have room
  };

  bool write_rest();
  ssize_t put(std::string_view text);
  ssize_t put_once(std::string_view text);

  int fd_;
  Way way_ = Way::kDirect;
  UniqueFd own_;
  std::string rest_;
};

}  // namespace ringside::consumer
