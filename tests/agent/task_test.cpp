// What tasks write into the rings of the threads that are in them.

#include "libagent/include/ringside/task.hpp"

#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/context.hpp"
#include "libagent/include/ringside/log.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/dictionary_entry.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Texts = std::vector<std::string>;

// The records of a ring: a context's as "{value value ...}" without types, others by their format.
Texts told(std::uint32_t ring) {
  SegmentReader& segment = own_segment();
  Texts texts;
  for (const Record& record : segment.data(ring)) {
    const Site& site = segment.sites().at(record.code);
    if (site.kind != shm::SiteKind::kContext) {
      texts.push_back(site.format);
      continue;
    }
    std::string text = "{";
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      const std::string& value = record.values[i];
      text += (i == 0 ? "" : " ") + value.substr(value.find(' ') + 1);
    }
    texts.push_back(text + "}");
  }
  return texts;
}

PROCESS_TEST(TaskRecord, PrecedesARecordInTheTask) {
  const Task task("get");
  EXPECT_EQ(task.id(), 1U);
  RS_INFO("before");
  {
    const Task::Scope in_task(task);
    RS_INFO("first");
    RS_INFO("second");
  }
  RS_INFO("between");
  {
    const auto in_task = task.resume();
    RS_INFO("third");
  }
  EXPECT_EQ(told(0), (Texts{"before", "{get 1 1}", "first", "second", "{}", "between", "{get 1 2}",
                            "third"}));
  const std::vector<Field>& fields = [] {
    SegmentReader& segment = own_segment();
    return segment.sites().at(segment.data(0)[1].code).fields;
  }();
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].name, "task");
  EXPECT_EQ(fields[1].name, "task.id");
  EXPECT_EQ(fields[2].name, "task.step");
}

PROCESS_TEST(TaskRecord, IsNotMadeIfNoRecordFollows) {
  const Task task("get");
  RS_INFO("before");
  for (int i = 0; i < 5; ++i) {
    const Task::Scope in_task(task);
  }
  RS_INFO("after");
  EXPECT_LE(own_segment().data(0).size(), 3U);
  EXPECT_EQ(told(0).back(), "after");
}

PROCESS_TEST(TaskRecord, NamesEachTaskOfNestedScopes) {
  const Task outer("outer");
  const Task inner("inner");
  const Task::Scope in_outer(outer);
  RS_INFO("one");
  {
    const Task::Scope in_inner(inner);
    RS_INFO("two");
    const Task::Scope again(outer);
    RS_INFO("three");
  }
  RS_INFO("four");
  EXPECT_EQ(told(0), (Texts{"{outer 1 1}", "one", "{inner 2 1}", "two", "{outer 1 2}", "three",
                            "{outer 1 1}", "four"}));
}

PROCESS_TEST(TaskRecord, IsRightWhenScopesEndInAnotherOrder) {
  const Task first("first");
  const Task second("second");
  std::optional<Task::Scope> in_first(std::in_place, first);
  std::optional<Task::Scope> in_second(std::in_place, second);
  in_first.reset();
  RS_INFO("in second");
  in_second.reset();
  RS_INFO("in none");
  EXPECT_EQ(told(0), (Texts{"{second 2 1}", "in second", "{}", "in none"}));
}

PROCESS_TEST(TaskRecord, MovesBetweenThreads) {
  Task task("moved");
  {
    const Task::Scope in_task(task);
    RS_INFO("here");
  }
  std::thread([moved = std::move(task)] {
    RS_INFO("outside");
    const Task::Scope in_task(moved);
    RS_INFO("there");
  }).join();
  EXPECT_FALSE(task);  // NOLINT(bugprone-use-after-move)
  RS_INFO("here again");
  EXPECT_EQ(told(0), (Texts{"{moved 1 1}", "here", "{}", "here again"}));
  EXPECT_EQ(told(1), (Texts{"outside", "{moved 1 2}", "there"}));
}

PROCESS_TEST(TaskRecord, IsThatOfSeveralThreadsAtATime) {
  const Task task("shared");
  const Task::Scope here(task);
  RS_INFO("here");
  std::thread([task] {
    const Task::Scope there(task);
    const Context context{{"part", 2}};
    RS_INFO("there");
  }).join();
  RS_INFO("still here");
  EXPECT_EQ(told(0), (Texts{"{shared 1 1}", "here", "still here"}));
  EXPECT_EQ(told(1), (Texts{"{shared 1 2 2}", "there"}));
}

PROCESS_TEST(TaskRecord, HasTheContextInWhichTheTaskWasCreated) {
  std::optional<Task> task;
  {
    const Context context{{"user", 7}};
    task.emplace("get");
  }
  const Context other{{"user", 8}, {"other", 9}};
  {
    const Task::Scope in_task(*task);
    RS_INFO("plain");
    {
      const Context inner{{"step", 2}};
      RS_INFO("inner");
    }
    RS_INFO("plain again");
  }
  RS_INFO("outside");
  EXPECT_EQ(told(0), (Texts{"{get 1 1 7}", "plain", "{get 1 1 7 2}", "inner", "{get 1 1 7}",
                            "plain again", "{8 9}", "outside"}));
}

PROCESS_TEST(TaskRecord, OfATaskCreatedInAnotherOneIsItsOwn) {
  const Context context{{"user", 7}};
  const Task outer("outer");
  const Task::Scope in_outer(outer);
  const Context more{{"step", 1}};
  const Task inner("inner");
  const Task::Scope in_inner(inner);
  RS_INFO("inside");
  EXPECT_EQ(told(0), (Texts{"{inner 2 1 7 1}", "inside"}));
}

PROCESS_TEST(TaskRecord, IsNotCarriedByACapturedContext) {
  const Task task("get");
  const Task::Scope in_task(task);
  const Context context{{"user", 7}};
  const CapturedContext captured;
  std::thread([&captured] {
    const Context carried(captured);
    RS_INFO("carried");
  }).join();
  EXPECT_EQ(told(0), (Texts{"{7}", "carried"}));
}

// As by a coroutine that suspends within a context and resumes elsewhere.
PROCESS_TEST(TaskRecord, HasNoContextThatOutlivesTheScope) {
  const Task task("get");
  std::optional<Task::Scope> in_task(std::in_place, task);
  std::optional<Context> context(std::in_place, std::initializer_list<ContextField>{{"user", 7}});
  RS_INFO("inside");
  in_task.reset();
  RS_INFO("outside");
  in_task.emplace(task);
  RS_INFO("again");
  context.reset();
  RS_INFO("after the context");
  EXPECT_EQ(told(0), (Texts{"{get 1 1 7}", "inside", "{}", "outside", "{get 1 2}", "again",
                            "after the context"}));
}

// A context of a task that was left must not end contexts of another stack, whose sizes differ.
PROCESS_TEST(TaskRecord, EndsNoContextsOutsideOfIt) {
  const Task task("a name that makes the task's content longer than that of the thread");
  std::optional<Task::Scope> in_task(std::in_place, task);
  std::optional<Context> inner(std::in_place, std::initializer_list<ContextField>{{"url", "x"}});
  in_task.reset();
  const Context first{{"a", 1}, {"b", 2}, {"c", "three"}, {"d", 4}};
  RS_INFO("before");
  inner.reset();
  RS_INFO("after");
  const Context second{{"e", 5}};
  EXPECT_EQ(second.result(), 1);
  RS_INFO("both");
  EXPECT_EQ(told(0), (Texts{"{1 2 three 4}", "before", "after", "{1 2 three 4 5}", "both"}));
}

PROCESS_TEST(TaskRecord, EndsWithAnEntryOfTheSameThreadOnly) {
  const Task task("get");
  rs_task_entry entry{nullptr};
  std::thread([&] { rs_task_enter(task.get(), &entry); }).join();
  const Task::Scope in_task(task);
  rs_task_leave(&entry);
  RS_INFO("inside");
  EXPECT_EQ(told(0), (Texts{"{get 1 2}", "inside"}));
}

PROCESS_TEST(TaskRecord, OutlivesItsObject) {
  auto task = std::make_optional<Task>("get");
  const Task::Scope in_task(*task);
  task.reset();
  RS_INFO("inside");
  EXPECT_EQ(Task::current().id(), 1U);
  EXPECT_EQ(told(0), (Texts{"{get 1 1}", "inside"}));
}

PROCESS_TEST(TaskRecord, OfNoTaskChangesNothing) {
  const Task task("get");
  const Task::Scope in_task(task);
  const Task none;
  EXPECT_EQ(none.id(), 0U);
  const Task::Scope in_none(none);
  RS_INFO("inside");
  EXPECT_EQ(told(0), (Texts{"{get 1 1}", "inside"}));
  EXPECT_EQ(Task::current(), task);
}

PROCESS_TEST(TaskRecord, CutsLongNamesAndTakesAnyText) {
  const Task task(std::string(127, 'n') + "\xC3\xA4");
  const Task::Scope in_task(task);
  RS_INFO("long");
  const Task odd("a,b\"\n");
  const Task::Scope in_odd(odd);
  RS_INFO("odd");
  EXPECT_EQ(told(0),
            (Texts{"{" + std::string(127, 'n') + " 1 1}", "long", "{a,b\"\n 2 1}", "odd"}));
}

PROCESS_TEST(TaskRecord, LeavesRoomForAllFieldsOfContexts) {
  std::vector<std::string> names;
  std::vector<rs_context_field> fields;
  for (int i = 0; i < RS_MAX_CONTEXT_FIELDS; ++i) names.push_back("name" + std::to_string(i));
  for (const std::string& name : names) {
    rs_context_field field{name.data(), name.size(), {}};
    field.value.type = RS_VALUE_I64;
    fields.push_back(field);
  }
  rs_context_mark mark{};
  ASSERT_EQ(rs_context_enter(fields.data(), RS_MAX_CONTEXT_FIELDS, &mark), 1);
  const Task task("get");
  EXPECT_EQ(task.id(), 1U);
  const Task::Scope in_task(task);
  RS_INFO("inside");
  EXPECT_EQ(told(0)[0], "{get 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0}");
  const Context more{{"more", 1}};
  EXPECT_EQ(more.result(), RS_REFUSED_COUNT);
}

PROCESS_TEST(TaskRecord, HasNamesThatContextsCannotUse) {
  for (const char* name : {"task", "task.id", "task.step"}) {
    const Context context{{name, 1}};
    EXPECT_EQ(context.result(), RS_REFUSED_NAMES) << name;
  }
}

// A context whose end is left by a task.
PROCESS_TEST(TaskRecord, IsNotEndedByAContextThatBeganOutside) {
  rs_context_field field{"user", 4, {}};
  field.value.type = RS_VALUE_I64;
  rs_context_mark mark{};
  ASSERT_EQ(rs_context_enter(&field, 1, &mark), 1);
  const Task task("get");
  const Task::Scope in_task(task);
  rs_context_leave(&mark);
  RS_INFO("inside");
  EXPECT_EQ(told(0), (Texts{"{get 1 1 0}", "inside"}));
}

// The statements of a process are used up, so that none can be made for the task.
PROCESS_TEST(TaskRecord, OfAnUnknownTaskIsNotThatOfAnotherOne) {
  const Context context{{"user", 7}};
  RS_INFO("before");
  rs_runtime_statement statement{};
  statement.struct_bytes = sizeof statement;
  statement.level = RS_LEVEL_INFO;
  statement.style = RS_FORMAT_EVENT;
  for (int i = 0;; ++i) {
    const std::string name = "event" + std::to_string(i);
    statement.format = name.data();
    statement.format_bytes = name.size();
    const std::int32_t handle = rs_statement_register(&statement);
    if (handle == RS_REFUSED_CAPACITY) break;
    ASSERT_GT(handle, 0);
  }
  const Task task("get");
  EXPECT_TRUE(task);
  EXPECT_EQ(task.id(), 0U);
  {
    const Task::Scope in_task(task);
    RS_INFO("unknown");
    EXPECT_EQ(Task::current(), task);
  }
  RS_INFO("after");
  EXPECT_EQ(told(0), (Texts{"{7}", "before", "{}", "unknown", "{7}", "after"}));
}

PROCESS_TEST(TaskRecord, ContinuesInAChildOfFork) {
  const Task task("get");
  const Task::Scope in_task(task);
  RS_INFO("parent");
  const pid_t child = fork();
  if (child == 0) {
    RS_INFO("child");
    const Task::Scope again(task);
    RS_INFO("child again");
    const bool is_right = told(0) == Texts{"{get 1 1}", "child", "{get 1 2}", "child again"};
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  RS_INFO("parent again");
  EXPECT_EQ(told(0), (Texts{"{get 1 1}", "parent", "parent again"}));
}

}  // namespace
}  // namespace ringside::test
