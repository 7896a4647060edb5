// The source's C++ program of section 9.3: minimum, mean and maximum of the number in the lines
// with "Hello World # ", from the text of a trace. With --read it only reads the file.
//
// usage: text_aggregate [--read] FILE

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::string_view kWanted = "Hello World # ";

struct Aggregate {
  long long count = 0;
  long long sum = 0;
  int least = INT_MAX;
  int most = INT_MIN;

  // Lines end with a newline.
  void take(std::string_view lines) {
    for (std::size_t at = lines.find(kWanted); at != std::string_view::npos;
         at = lines.find(kWanted, at + kWanted.size())) {
      const int number = std::atoi(lines.data() + at + kWanted.size());
      ++count;
      sum += number;
      least = std::min(least, number);
      most = std::max(most, number);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bool only_reads = argc == 3 && std::strcmp(argv[1], "--read") == 0;
  if (argc != 2 && !only_reads) {
    std::fprintf(stderr, "usage: text_aggregate [--read] FILE\n");
    return 2;
  }
  const int file = open(argv[argc - 1], O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    std::perror(argv[argc - 1]);
    return 1;
  }
  std::vector<char> room(1 << 20);
  std::size_t kept = 0;  // of a line that the read before ended within
  Aggregate aggregate;
  for (;;) {
    const ssize_t got = read(file, room.data() + kept, room.size() - kept);
    if (got <= 0) break;
    if (only_reads) continue;
    const std::string_view bytes(room.data(), kept + static_cast<std::size_t>(got));
    const std::size_t end = bytes.rfind('\n') + 1;  // 0: no whole line
    aggregate.take(bytes.substr(0, end));
    kept = bytes.size() - end;
    std::memmove(room.data(), room.data() + end, kept);
  }
  close(file);
  std::printf(
      "%lld %d %.3f %d\n", aggregate.count, aggregate.least,
      static_cast<double>(aggregate.sum) / static_cast<double>(std::max(aggregate.count, 1LL)),
      aggregate.most);
  return 0;
}
