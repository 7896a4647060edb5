// Stream style: the text is stored once, the values go into the ring, and nothing is formatted
// here.
#include <ostream>
#include <string>

#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>
#include <ringside/streamed.hpp>

namespace {

struct Point {
  int x;
  int y;
};

std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << point.x << '/' << point.y;
}

void open_session(const std::string& user, int tries, bool ok) {
  RS_STREAM(INFO) << "session of " << user << (ok ? " opened" : " failed") << " after " << tries
                  << " tries";
  if (tries > 2)
    RS_STREAM(WARNING) << user << " needed " << tries << " tries, " << 100.0 / tries << " %";
  else
    RS_STREAM(DEBUG) << user << " is known";
}

}  // namespace

int main() {
  open_session("ann", 1, true);
  open_session("bob", 3, false);
  for (int i = 0; i < 4; ++i) {
    RS_EVERY_N(2, RS_STREAM(INFO) << "turn " << i);
  }
  RS_STREAM(NOTICE) << "position " << ringside::streamed(Point{3, -4});
  return 0;
}
