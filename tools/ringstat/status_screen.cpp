#include "tools/ringstat/status_screen.hpp"

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <ncurses.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "tools/ringstat/call_cost_text.hpp"
#include "tools/ringstat/quantity_text.hpp"
#include "tools/ringstat/screen_help.hpp"
#include "tools/ringstat/segment_watch.hpp"
#include "tools/ringstat/session_view.hpp"
#include "tools/ringstat/status_text.hpp"
#include "tools/ringstat/terminal.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

using std::chrono::steady_clock;

constexpr int kEscape = 27;
constexpr int kBackspace = 127;
constexpr int kLongestWaitMs = 100;  // so that a stop signal takes effect soon
constexpr std::size_t kColumnGap = 2;

class StatusScreen {
 public:
  explicit StatusScreen(const RingstatOptions& options)
      : options_(options), watch_(options.services), unicode_(MB_CUR_MAX > 1) {}

  bool run(const std::atomic<bool>& stop, std::string* why) {
    if (!watch_.look(why)) return false;
    terminal_.emplace();
    *why = terminal_->fault();
    if (!why->empty()) {
      terminal_.reset();
      return false;
    }
    auto next_look = steady_clock::now();
    const auto interval = std::chrono::nanoseconds(options_.interval_ns);
    while (!stop.load(std::memory_order_relaxed)) {
      auto now = steady_clock::now();
      if (now >= next_look) {
        if (!paused_ && !watch_.look(why)) return false;
        next_look = steady_clock::now() + interval;
        draw();
      }
      now = steady_clock::now();
      const auto wait_ms =
          std::chrono::duration_cast<std::chrono::milliseconds>(next_look - now).count() + 1;
      timeout(static_cast<int>(std::clamp<std::int64_t>(wait_ms, 1, kLongestWaitMs)));
      const int key = getch();
      if (key == ERR) continue;
      if (!take(key)) return true;
      draw();
    }
    return true;
  }

 private:
  enum class View { kServices, kThreads, kStatements, kCallCosts };

  // False to quit.
  bool take(int key) {
    if (help_) {
      help_ = false;
      return key != 'q';
    }
    if (typing_) {
      type(key);
      return true;
    }
    const std::size_t page = rows_shown_ > 1 ? rows_shown_ - 1 : 1;
    switch (key) {
      case 'q':
        return false;
      case '?':
        help_ = true;
        break;
      case 'p':
        paused_ = !paused_;
        break;
      case 'o':
        sort() = static_cast<SortBy>((static_cast<int>(sort()) + 1) % 4);
        break;
      case '/':
        typing_ = true;
        filter_.clear();
        break;
      case KEY_UP:
      case 'k':
        marked_ -= std::min<std::size_t>(marked_, 1);
        break;
      case KEY_DOWN:
      case 'j':
        ++marked_;
        break;
      case KEY_PPAGE:
        marked_ -= std::min(marked_, page);
        break;
      case KEY_NPAGE:
        marked_ += page;
        break;
      case KEY_HOME:
        marked_ = 0;
        break;
      case KEY_END:
        marked_ = SIZE_MAX / 2;
        break;
      case '\n':
      case KEY_ENTER:
      case KEY_RIGHT:
        if (view_ == View::kServices) {
          enter(View::kThreads);
        } else if (view_ == View::kThreads) {
          enter_thread();
        }
        break;
      case '\t':
        enter(view_ == View::kStatements ? View::kThreads : View::kStatements);
        break;
      case kEscape:
      case KEY_LEFT:
      case KEY_BACKSPACE:
      case kBackspace:
        if (view_ == View::kCallCosts) {
          enter(View::kThreads);
        } else if (view_ != View::kServices) {
          view_ = View::kServices;
          marked_ = marked_service_;
          filter_.clear();
        }
        break;
      default:
        break;
    }
    return true;
  }

  void type(int key) {
    if (key == '\n' || key == KEY_ENTER || key == kEscape) {
      typing_ = false;
      if (key == kEscape) filter_.clear();
    } else if (key == KEY_BACKSPACE || key == kBackspace) {
      if (!filter_.empty()) filter_.pop_back();
    } else if (key >= ' ' && key < kBackspace) {
      filter_ += static_cast<char>(key);
    }
    marked_ = 0;
  }

  void enter(View view) {
    if (view_ == View::kServices) {
      if (marked_ >= shown_.size()) return;
      const SegmentStatus& now = watch_.services()[shown_[marked_]].now;
      chosen_path_ = now.path;
      marked_service_ = marked_;
      filter_.clear();
    }
    view_ = view;
    marked_ = 0;
  }

  void enter_thread() {
    const ServiceView* const service = chosen();
    if (service == nullptr || marked_ >= shown_.size()) return;
    chosen_stream_ = service->threads[shown_[marked_]].now.stream_id;
    filter_.clear();
    enter(View::kCallCosts);
  }

  SortBy& sort() { return view_ == View::kStatements ? statement_sort_ : sort_; }

  const ServiceView* chosen() const {
    const auto& services = watch_.services();
    if (view_ == View::kServices) {
      return marked_ < shown_.size() ? &services[shown_[marked_]] : nullptr;
    }
    const auto found = std::find_if(services.begin(), services.end(), [&](const ServiceView& one) {
      return one.now.path == chosen_path_;
    });
    return found == services.end() ? nullptr : &*found;
  }

  // Null if it has ended since.
  const ThreadView* chosen_thread(const ServiceView& service) const {
    const auto found =
        std::find_if(service.threads.begin(), service.threads.end(),
                     [&](const ThreadView& one) { return one.now.stream_id == chosen_stream_; });
    return found == service.threads.end() ? nullptr : &*found;
  }

  StatusTable table() {
    const ServiceView* const service = view_ == View::kServices ? nullptr : chosen();
    StatusTable table;
    shown_.clear();
    if (view_ == View::kServices) {
      table = service_table(watch_.services(), sort_, unicode_, &shown_);
    } else if (service != nullptr) {
      table = view_ == View::kThreads ? thread_table(*service, sort_, &shown_)
              : view_ == View::kStatements
                  ? statement_table(*service, statement_sort_, &shown_)
                  : thread_cost_table(chosen_thread(*service), service->now);
      if (view_ == View::kCallCosts) shown_.resize(table.rows.size());
    }
    if (filter_.empty()) return table;
    for (std::size_t i = table.rows.size(); i-- > 0;) {
      const auto& row = table.rows[i];
      if (std::any_of(row.begin(), row.end(), [&](const StatusCell& cell) {
            return cell.text.find(filter_) != std::string::npos;
          })) {
        continue;
      }
      table.rows.erase(table.rows.begin() + static_cast<std::ptrdiff_t>(i));
      shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return table;
  }

  void draw() {
    erase();
    const int lines = getmaxy(stdscr);
    const int columns = getmaxx(stdscr);
    const StatusTable rows = table();
    if (marked_ >= rows.rows.size()) marked_ = rows.rows.empty() ? 0 : rows.rows.size() - 1;
    Terminal::put(0, 0, headline(static_cast<std::size_t>(std::max(columns, 1))), A_BOLD, columns);
    std::vector<StatusCell> remarks;
    if (const ServiceView* const service = chosen()) {
      const ThreadView* const thread =
          view_ == View::kCallCosts ? chosen_thread(*service) : nullptr;
      remarks = thread != nullptr ? thread_cost_remarks(*thread, service->now)
                                  : service_remarks(*service);
      if (thread == nullptr) {
        const auto rates =
            history_remarks(*service, static_cast<std::size_t>(std::max(columns, 1)), unicode_);
        remarks.insert(remarks.end(), rates.begin(), rates.end());
      }
    }
    for (const std::string& trouble : watch_.troubles()) {
      remarks.push_back({trace::visible(trouble), Tone::kBad});
    }
    if (view_ == View::kServices) add_sessions(options_.services.shm_dir, &remarks);
    // The table has at least half of the screen.
    const int most_remarks = std::max(0, lines / 2 - 3);
    if (static_cast<int>(remarks.size()) > most_remarks) {
      remarks.resize(static_cast<std::size_t>(most_remarks));
    }
    const int table_end = lines - 1 - static_cast<int>(remarks.size());
    if (help_) {
      for (std::size_t i = 0; i < std::size(kScreenHelp); ++i) {
        Terminal::put(static_cast<int>(i) + 2, 0, kScreenHelp[i], A_NORMAL, columns);
      }
    } else {
      draw_table(rows, 1, table_end, columns);
      for (std::size_t i = 0; i < remarks.size(); ++i) {
        Terminal::put(table_end + static_cast<int>(i), 0, remarks[i].text,
                      terminal_->attribute(remarks[i].tone), columns);
      }
    }
    Terminal::put(lines - 1, 0, keys(), A_REVERSE, columns);
    refresh();
  }

  void draw_table(const StatusTable& rows, int begin, int end, int columns) {
    const std::vector<std::size_t> widths =
        column_widths(rows, static_cast<std::size_t>(std::max(columns, 1)));
    rows_shown_ = static_cast<std::size_t>(std::max(end - begin - 1, 1));
    const std::size_t first = marked_ >= rows_shown_ ? marked_ - rows_shown_ + 1 : 0;
    if (rows.columns.empty()) {
      Terminal::put(begin, 0, "The service is gone; press Esc to return to the other services.",
                    A_NORMAL, columns);
      return;
    }
    int column = 0;
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      if (widths[i] == 0) continue;
      const bool to_the_right = !rows.rows.empty() && rows.rows.front()[i].right;
      const int shift = to_the_right ? static_cast<int>(widths[i] - rows.columns[i].size()) : 0;
      Terminal::put(begin, column + shift, rows.columns[i], A_UNDERLINE, columns - column - shift);
      column += static_cast<int>(widths[i] + kColumnGap);
    }
    if (rows.rows.empty()) {
      Terminal::put(
          begin + 1, 0,
          filter_.empty() && !rows.if_empty.empty() ? rows.if_empty
          : filter_.empty()
              ? "No traced services here: start a service, or use another --shm-dir."
              : "No line contains \"" + filter_ + "\"; press / and Enter to show all lines.",
          A_NORMAL, columns);
    }
    for (std::size_t i = first; i < rows.rows.size() && i - first < rows_shown_; ++i) {
      const int line = begin + 1 + static_cast<int>(i - first);
      const attr_t mark = i == marked_ ? A_REVERSE : A_NORMAL;
      if (i == marked_) mvhline(line, 0, ' ' | A_REVERSE, columns);
      column = 0;
      for (std::size_t cell = 0; cell < rows.rows[i].size(); ++cell) {
        if (widths[cell] == 0) continue;
        const StatusCell& one = rows.rows[i][cell];
        const std::string text = fitted(one.text, widths[cell]);
        const int shift = one.right ? static_cast<int>(widths[cell] - text_columns(text)) : 0;
        Terminal::put(line, column + shift, text, terminal_->attribute(one.tone) | mark,
                      columns - column - shift);
        column += static_cast<int>(widths[cell] + kColumnGap);
      }
    }
  }

  // Keeps the typed text and the choice visible, however long a name is.
  std::string headline(std::size_t columns) const {
    static constexpr std::string_view kSorts[] = {"name", "rate", "fill", "losses"};
    double records = 0;
    double bytes = 0;
    double drops = 0;
    const ServiceView* const one = view_ == View::kServices ? nullptr : chosen();
    for (const ServiceView& service : watch_.services()) {
      if (one != nullptr && one != &service) continue;
      records += service.records_per_s;
      bytes += service.bytes_per_s;
      drops += service.drops_per_s;
    }
    std::string line = "ringstat  ";
    if (one != nullptr) {
      line += fmt::format("{} {}  {}", trace::visible(one->now.service), one->now.pid,
                          view_ == View::kThreads      ? "threads"
                          : view_ == View::kStatements ? "statements"
                                                       : "cost of log calls");
    } else {
      const std::size_t count = watch_.services().size();
      line += fmt::format("{} service{}", count, count == 1 ? "" : "s");
    }
    line += fmt::format("  {} rec/s  {}/s  {} lost/s", count_text(records), bytes_text(bytes),
                        count_text(drops));
    std::string choices =
        view_ == View::kCallCosts
            ? ""
            : fmt::format("  by {}", kSorts[static_cast<std::size_t>(
                                         view_ == View::kStatements ? statement_sort_ : sort_)]);
    if (typing_ || !filter_.empty()) choices += fmt::format("  /{}{}", filter_, typing_ ? "_" : "");
    if (paused_) choices += "  PAUSED";
    const std::size_t taken = text_columns(choices);
    return fitted(line, columns > taken ? columns - taken : 0) + choices;
  }

  std::string_view keys() const {
    if (typing_) return " type text to search for   Enter done   Esc show all ";
    if (view_ == View::kServices) {
      return " Enter threads   Tab statements   o sort   / filter   p pause   ? help   q quit ";
    }
    if (view_ == View::kCallCosts) return " Esc threads   Tab statements   ? help   q quit ";
    if (view_ == View::kThreads) {
      return " Enter cost  Esc services  Tab statements  o sort  / filter  ? help  q quit ";
    }
    return " Esc services   Tab threads   o sort   / filter   ? help   q quit ";
  }

  const RingstatOptions& options_;
  SegmentWatch watch_;
  const bool unicode_;
  std::optional<Terminal> terminal_;
  View view_ = View::kServices;
  SortBy sort_ = SortBy::kName;  // for services and threads
  SortBy statement_sort_ = SortBy::kRate;
  std::string chosen_path_;
  std::uint64_t chosen_stream_ = 0;
  std::vector<std::size_t> shown_;  // indices of the items shown in the rows
  std::size_t marked_ = 0;
  std::size_t marked_service_ = 0;
  std::size_t rows_shown_ = 1;
  std::string filter_;
  bool typing_ = false;
  bool help_ = false;
  bool paused_ = false;
};

}  // namespace

bool run_status_screen(const RingstatOptions& options, const std::atomic<bool>& stop,
                       std::string* why) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    *why = "standard output is not a terminal; use --once to print text";
    return false;
  }
  std::setlocale(LC_ALL, "");  // NOLINT(concurrency-mt-unsafe): no other thread is there yet
  StatusScreen screen(options);
  return screen.run(stop, why);
}

}  // namespace ringside::tool
