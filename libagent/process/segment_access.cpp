#include "libagent/process/segment_access.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "libagent/process/unique_fd.hpp"

namespace ringside {
namespace {

// The file's lines are NAME:PASSWORD:NUMBER:MEMBERS, of any length; they are parsed character by
// character.
class GroupLines {
 public:
  explicit GroupLines(std::string_view name) : name_(name) {}

  // Whether this character completes the number in the line of that name.
  bool take(char c) {
    if (c != ':' && c != '\n') {
      take_within(c);
      return false;
    }
    const bool told = field_ == kNumber && is_its_ && digits_ > 0 && number_ < UINT32_MAX;
    if (told) return true;
    if (field_ == kName) is_its_ = is_its_ && matched_ == name_.size();
    ++field_;
    if (c == '\n') *this = GroupLines(name_);
    return false;
  }

  gid_t number() const { return static_cast<gid_t>(number_); }

 private:
  static constexpr int kName = 0;
  static constexpr int kNumber = 2;
  static constexpr int kMostDigits = 10;

  void take_within(char c) {
    if (field_ == kName) {
      is_its_ = is_its_ && matched_ < name_.size() && name_[matched_] == c;
      ++matched_;
    } else if (field_ == kNumber) {
      is_its_ = is_its_ && c >= '0' && c <= '9' && ++digits_ <= kMostDigits;
      if (is_its_) number_ = number_ * 10 + static_cast<std::uint64_t>(c - '0');
    }
  }

  std::string_view name_;
  int field_ = kName;
  bool is_its_ = true;
  std::size_t matched_ = 0;
  int digits_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

std::optional<gid_t> group_number(std::string_view group) {
  std::uint32_t number = 0;
  const char* const end = group.data() + group.size();
  const auto result = std::from_chars(group.data(), end, number);
  // chown uses the highest number for "unchanged".
  if (result.ec == std::errc() && result.ptr == end && number < UINT32_MAX) return number;
  const UniqueFd fd(open("/etc/group", O_RDONLY | O_CLOEXEC));
  if (!fd || group.empty()) return {};
  GroupLines lines(group);
  char buffer[1024];
  for (;;) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    for (ssize_t i = 0; i < got; ++i) {
      if (lines.take(buffer[i])) return lines.number();
    }
  }
}

std::optional<AccessFailure> let_in(int fd, const Options& options) {
  if (!options.group.empty()) {
    const std::optional<gid_t> group = group_number(options.group);
    if (!group) {
      return AccessFailure{"no such group for ", ENOENT,
                           "RINGSIDE_GROUP must be in /etc/group, or a number (getent group)"};
    }
    if (fchown(fd, static_cast<uid_t>(-1), *group) != 0) {
      return AccessFailure{"cannot set the group of ", errno,
                           "the service must be a member of RINGSIDE_GROUP"};
    }
  }
  if (fchmod(fd, static_cast<mode_t>(options.mode)) != 0 && options.mode != 0600) {
    return AccessFailure{"cannot set the mode of ", errno, "set RINGSIDE_MODE=0600"};
  }
  return {};
}

}  // namespace ringside
