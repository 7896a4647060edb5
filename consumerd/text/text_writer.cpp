#include "consumerd/text/text_writer.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <iterator>
#include <utility>

#include "consumerd/files/low_priority.hpp"
#include "consumerd/text/read_traces.hpp"
#include "consumerd/text/text_marks.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::milliseconds;

constexpr auto kIdleWait = milliseconds(1000);  // files may grow without news
constexpr auto kShortWait = milliseconds(20);
constexpr auto kRemovalInterval = milliseconds(1000);
constexpr auto kFinishPatience = std::chrono::seconds(2);

}  // namespace

TextWriter::TextWriter(const Options& options, const Log& log)
    : options_(options),
      log_(log),
      policy_(options.text),
      source_{options.output_dir, options.shm_dir, files_} {
  resume();
  // The main thread handles signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TextWriter::~TextWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

// Each segment whose text is not complete has a mark.
void TextWriter::resume() {
  for (const TextMark& mark : text_marks(options_.output_dir)) {
    if (serves(options_, mark.service)) text_of(mark.service).adopt(mark.from, false);
  }
}

ServiceText& TextWriter::text_of(const std::string& service) {
  std::unique_ptr<ServiceText>& text = texts_[service];
  if (text == nullptr) {
    text = std::make_unique<ServiceText>(source_, service, policy_, log_, figures_);
  }
  return *text;
}

void TextWriter::adopt(const std::string& service, const SegmentPosition& at) {
  outbox_.adopted.emplace_back(service, at);
  notify(false);
}

void TextWriter::request_rotation(const std::string& service) {
  outbox_.rotations.push_back(service);
  notify(false);
}

void TextWriter::set_policy(const TextPolicy& policy) {
  outbox_.policy = policy;
  notify(false);
}

void TextWriter::notify(bool has_news) {
  outbox_.news = outbox_.news || has_news;
  if (outbox_.is_empty()) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  std::move(outbox_.adopted.begin(), outbox_.adopted.end(), std::back_inserter(inbox_.adopted));
  std::move(outbox_.rotations.begin(), outbox_.rotations.end(),
            std::back_inserter(inbox_.rotations));
  if (outbox_.policy) inbox_.policy = std::move(outbox_.policy);
  inbox_.news = inbox_.news || outbox_.news;
  outbox_ = {};
  wake_.notify_one();
}

bool TextWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    std::move(outbox_.adopted.begin(), outbox_.adopted.end(), std::back_inserter(inbox_.adopted));
    std::move(outbox_.rotations.begin(), outbox_.rotations.end(),
              std::back_inserter(inbox_.rotations));
    finish_ = true;
  }
  wake_.notify_one();
  thread_.join();
  return all_written_;
}

void TextWriter::run() {
  // With --once the operator waits for this work.
  if (!options_.once) run_at_low_priority();
  try {
    std::unique_lock lock(mutex_);
    for (;;) {
      Mail mail = std::exchange(inbox_, {});
      const bool last = finish_;
      if (stop_) return;
      lock.unlock();
      read(std::move(mail));
      if (last) return write_rest();
      const ServiceText::Result result = work_all();
      remove_traces();
      lock.lock();
      if (result == ServiceText::Result::kMore) continue;
      const auto wait = result == ServiceText::Result::kWaiting ? kShortWait : kIdleWait;
      wake_.wait_for(lock, wait, [this] { return !inbox_.is_empty() || finish_ || stop_; });
    }
  } catch (const std::exception& error) {
    log_.error(std::string("the text ends: ") + error.what() + "; restart consumerd");
  }
}

void TextWriter::read(Mail mail) {
  if (mail.policy) {
    policy_ = *mail.policy;
    for (const auto& [service, text] : texts_) text->set_policy(policy_);
  }
  for (const auto& [service, at] : mail.adopted) {
    text_of(service).adopt(at, true);
  }
  for (const std::string& service : mail.rotations) {
    for (const auto& [name, text] : texts_) {
      if (service.empty() || name == service) text->request_rotation();
    }
  }
}

// One piece of each service's text, so that none waits for another.
ServiceText::Result TextWriter::work_all() {
  ServiceText::Result result = ServiceText::Result::kIdle;
  const auto now = ServiceText::Clock::now();
  for (const auto& [service, text] : texts_) result = std::max(result, text->work(now));
  // A service that starts again continues from its cursor.
  std::erase_if(texts_, [](const auto& one) { return one.second->is_finished(); });
  return result;
}

void TextWriter::remove_traces() {
  const auto now = ServiceText::Clock::now();
  if (!policy_.only || now < next_removal_) return;
  next_removal_ = now + kRemovalInterval;
  std::vector<SegmentPosition> positions;
  for (const auto& [service, text] : texts_) {
    positions.insert(positions.end(), text->positions().begin(), text->positions().end());
  }
  std::string why;
  const bool done = remove_read_traces(options_.output_dir, positions, &why);
  if (!done && !removal_failed_) log_.error(why);
  removal_failed_ = !done;
}

void TextWriter::write_rest() {
  for (const auto& [service, text] : texts_) text->hurry();
  auto deadline = ServiceText::Clock::now() + kFinishPatience;
  for (;;) {
    const ServiceText::Result result = work_all();
    all_written_ = result == ServiceText::Result::kIdle;
    if (all_written_) break;
    const auto now = ServiceText::Clock::now();
    if (result != ServiceText::Result::kFailing) {
      deadline = now + kFinishPatience;
    } else if (now >= deadline) {
      log_.error("stopping before all text is written; the next consumerd writes the rest");
      break;
    } else {
      std::this_thread::sleep_for(kShortWait);
    }
  }
  next_removal_ = {};
  remove_traces();
}

}  // namespace ringside::consumer
