// A source written for glog. Ends by a failed check.

#include <cerrno>
#include <ostream>
#include <string>

#include <ringside/compat/glog.hpp>

namespace {

struct Point {
  int x;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << "P" << point.x;
}
enum class Side { buy };
std::ostream& operator<<(std::ostream& out, Side /*side*/) {
  return out << "buy";
}

int evaluated = 0;

int positive(int value) {
  if (value > 0) return value;
  LOG(FATAL) << "not positive: " << value;
}

void log_streams(bool yes) {
  LOG(INFO) << "plain " << 1 << ' ' << Point{2} << ' ' << Side::buy << ", end";
  LOG(WARNING) << "hex " << std::hex << 255 << ' ' << std::setw(6) << Point{3} << std::endl;
  if (yes)
    LOG_IF(ERROR, yes) << "then";
  else
    LOG(ERROR) << "else";
  errno = ENOENT;
  PLOG(ERROR) << "cannot open "
              << "file";
}

void log_rates() {
  for (int i = 0; i < 10; ++i) {
    LOG_EVERY_N(INFO, 4) << "every " << i << " counter " << google::COUNTER << ++evaluated;
    LOG_FIRST_N(INFO, 2) << "first " << i;
    LOG_IF_EVERY_N(INFO, i % 2 == 0, 2) << "even " << i;
    LOG_EVERY_T(INFO, 1000) << "time " << i;
  }
  LOG(INFO) << "evaluated " << evaluated;
}

void log_verbose() {
  VLOG(1) << "too verbose " << ++evaluated;
  FLAGS_v = 2;
  VLOG(1) << "verbose";
  VLOG(3) << "too verbose " << ++evaluated;
  FLAGS_minloglevel = google::GLOG_ERROR;
  LOG(WARNING) << "below the level " << ++evaluated;
  FLAGS_minloglevel = google::GLOG_INFO;
  LOG(INFO) << "evaluated " << evaluated;
}

void check(bool yes) {
  CHECK(yes) << "unused " << ++evaluated;
  CHECK_EQ(1, 1) << "unused";
  CHECK_NE(std::string("a"), "b");
  CHECK_STREQ("a", "a");
  CHECK_STRCASEEQ("a", "A");
  CHECK_STRNE("a", nullptr);
  CHECK_NEAR(1.0, 1.05, 0.1);
  if (yes)
    CHECK_GT(2, 1);
  else
    CHECK(yes);
  int value = 5;
  int* const pointer = CHECK_NOTNULL(&value);
  DCHECK_LT(*pointer, 6) << "unused";
  DLOG(INFO) << "debugging";
  CHECK_LE(positive(7), 6) << "last words of " << Point{9};
}

}  // namespace

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  FLAGS_logtostderr = true;
  google::SetLogDestination(google::GLOG_INFO, "unused");
  const bool yes = argc > 0;
  log_streams(yes);
  log_rates();
  log_verbose();
  check(yes);
}
