#include "trace-format/codec/extent_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/context_task.hpp"
#include "trace-format/codec/site_choice.hpp"

namespace ringside::trace {
namespace {

// Of the contexts of one extent: a few bytes of a damaged file must not take memory without bound.
// A writer's batch of 64 KiB has at most 47,000.
constexpr std::size_t kMostContextValues = std::size_t{1} << 17;

// Reads the parts of a head with all checks.
class HeadBytes {
 public:
  HeadBytes(const std::byte* at, const std::byte* end) : at_(at), end_(end) {}

  const std::byte* at() const { return at_; }
  const char* failure() const { return failed_; }
  bool fail(const char* why) {
    failed_ = why;
    return false;
  }

  // 0 to 8 bytes.
  bool take(std::size_t bytes, std::uint64_t& value) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) return fail(kCutShort);
    value = load_bytes(at_, bytes);
    at_ += bytes;
    return true;
  }
  bool take_leb128(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::uint64_t byte = 0;
      if (!take(1, byte)) return false;
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return fail(kLongNumber);
  }
  bool take_id(std::array<std::uint8_t, 16>& id) {
    if (static_cast<std::size_t>(end_ - at_) < id.size()) return fail(kCutShort);
    std::memcpy(id.data(), at_, id.size());
    at_ += id.size();
    return true;
  }
  bool take_extension(RecordExtension& extension);

 private:
  const std::byte* at_;
  const std::byte* end_;
  const char* failed_ = nullptr;
};

bool HeadBytes::take_extension(RecordExtension& extension) {
  std::uint64_t flags = 0;
  if (!take(1, flags)) return false;
  if (!shm::are_valid_flags(flags)) return fail(kUnknownFlags);
  extension = {};
  extension.ext_flags = static_cast<std::uint32_t>(flags);
  extension.cut = (flags & shm::kExtCut) != 0;
  if ((flags & shm::kExtSubstream) != 0 && !take_leb128(extension.substream)) return false;
  if ((flags & shm::kExtActivity) != 0 && !take_id(extension.activity)) return false;
  if ((flags & shm::kExtRelatedActivity) != 0 && !take_id(extension.related)) return false;
  if ((flags & shm::kExtStack) != 0) {
    std::uint64_t stack = 0;
    if (!take_leb128(stack)) return false;
    if (stack > std::numeric_limits<std::uint32_t>::max()) return fail(kLongStackId);
    extension.stack_id = static_cast<std::uint32_t>(stack);
  }
  return (flags & shm::kExtDuration) == 0 || take_leb128(extension.duration);
}

}  // namespace

bool ExtentHeader::parse(std::span<const std::byte> payload, ExtentHeader& header) {
  if (payload.size() < kExtentHeaderBytes) return false;
  const std::byte* p = payload.data();
  header.stream_id = load<std::uint64_t>(p);
  header.first_sequence = load<std::uint64_t>(p + 8);
  header.base_tsc = load<std::uint64_t>(p + 16);
  header.min_tsc = load<std::uint64_t>(p + 24);
  header.max_tsc = load<std::uint64_t>(p + 32);
  header.records = load<std::uint32_t>(p + 40);
  header.flags = load<std::uint32_t>(p + 44);
  header.dropped = load<std::uint64_t>(p + 48);
  header.drop_cause = load<std::uint32_t>(p + 56);
  header.records_bytes = load<std::uint32_t>(p + 60);
  if (header.has_context() && header.records != 0) {
    ++header.first_sequence;
    --header.records;
  }
  return true;
}

// For a record of a site without values.
bool ExtentDecoder::fail_site(const SiteState* site) {
  return fail(site == &states_.back() ? kNoSuchIndex : kNoSuchSite);
}

bool ExtentDecoder::open(std::span<const std::byte> payload, const SiteTable& sites,
                         std::string* why, SiteChoice* choice, Contexts contexts) {
  const auto refuse = [&](const char* reason) {
    if (why != nullptr) *why = reason;
    header_.records = 0;
    walk_ = {};
    return fail(reason);
  };
  failed_ = nullptr;
  site_ids_.clear();
  contexts_.clear();
  context_ = nullptr;
  context_values_ = 0;
  shared_ = nullptr;
  knows_tasks_ = contexts == Contexts::kAside;
  if (!ExtentHeader::parse(payload, header_))
    return refuse("the extent is shorter than its header");
  const std::size_t rest = payload.size() - kExtentHeaderBytes;
  if (header_.records_bytes > rest) return refuse("the extent is shorter than its records");
  if (header_.records > header_.records_bytes) {
    return refuse("the extent has more records than bytes");
  }
  const std::size_t table_bytes = rest - header_.records_bytes;
  if (table_bytes % 4 != 0 || table_bytes / 4 > kMaxExtentSites) {
    return refuse("the site table of the extent is not a list of ids");
  }
  if (++open_count_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    open_count_ = 1;
  }
  seen_.resize(std::max<std::size_t>(seen_.size(), sites.id_limit()));
  walk_.at = payload.data() + kExtentHeaderBytes;
  walk_.end = walk_.at + header_.records_bytes;
  site_ids_.resize(table_bytes / 4);
  if (table_bytes != 0) std::memcpy(site_ids_.data(), walk_.end, table_bytes);
  for (const std::uint32_t id : site_ids_) {
    if (sites.find(id) == nullptr) continue;
    // Each site once: this keeps the decoder's memory in proportion to the dictionary.
    if (seen_[id] == open_count_) return refuse("the site table of the extent repeats a site");
    seen_[id] = open_count_;
  }
  open_sites(sites, choice, contexts);
  walk_.site = states_.data();
  walk_.time = header_.base_tsc;
  walk_.sequence = header_.first_sequence;
  walk_.end_sequence = header_.first_sequence + header_.records;
  history_.clear();
  if (!header_.has_context()) return true;
  if (load<std::uint32_t>(payload.data() + 40) == 0) {
    return refuse("the context at its front is missing");
  }
  --walk_.sequence;
  if (contexts == Contexts::kRaw) {
    --header_.first_sequence;
    ++header_.records;
    return true;
  }
  const char* const wrong = take_copy();
  return wrong == nullptr || refuse(wrong);
}

// Reads the context that was in force when the extent began. Returns what is wrong, or null.
const char* ExtentDecoder::take_copy() {
  const RecordExtension* extension = nullptr;
  if (header_.dropped != 0) return "an extent that begins with a context has lost records";
  if (!step(walk_, extension, nullptr)) return failed_;
  if (extension != nullptr || (walk_.site->use & kContext) == 0) {
    return "its first record is not a context";
  }
  return enter_context(*walk_.site) ? nullptr : failed_;
}

// False if the extent has too many.
bool ExtentDecoder::enter_context(const SiteState& site) {
  // No record is in it: contexts that follow each other take no memory.
  if (context_ != nullptr && !context_used_ && !contexts_.empty()) {
    context_values_ -= context_->args.size();
    contexts_.pop_back();
  }
  context_ = nullptr;
  context_used_ = false;
  shared_ = nullptr;
  const std::size_t count = site.site->fields.size();
  if (count == 0) return true;
  context_values_ += count;
  if (context_values_ > kMostContextValues) return fail(kManyContexts);
  contexts_.push_back(std::make_unique<RecordContext>());
  RecordContext& context = *contexts_.back();
  context.site = site.site;
  context.args.assign(site.values, site.values + count);
  if (knows_tasks_) find_task(context);
  if (context.task != 0) {
    task_extension_.ext_flags = shm::kExtSubstream;
    task_extension_.substream = context.task;
    shared_ = &task_extension_;
  }
  context_ = &context;
  return true;
}

// To the extension of the record that has just been read.
void ExtentDecoder::add_task() {
  // A substream of the record's own remains its own.
  if (shared_ == nullptr || (extension_.ext_flags & shm::kExtSubstream) != 0) return;
  extension_.ext_flags |= shm::kExtSubstream;
  extension_.substream = shared_->substream;
}

void ExtentDecoder::open_sites(const SiteTable& sites, SiteChoice* choice, Contexts contexts) {
  std::size_t values = 0;
  for (const std::uint32_t id : site_ids_) {
    const Site* const site = sites.find(id);
    if (site == nullptr) continue;
    values += site->initial_values.size();
    if (choice != nullptr && site->kind == shm::SiteKind::kContext) choice->follow(*site);
  }
  // room for one also if a site has no fields
  values_.resize(std::max(values_.size(), values + 1));
  Value* place = values_.data();
  states_.assign(site_ids_.size() + 1, {});
  has_chosen_ = choice == nullptr;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    SiteState& state = states_[i];
    state.successor = &state;
    const Site* const site = i < site_ids_.size() ? sites.find(site_ids_[i]) : nullptr;
    if (site == nullptr) continue;
    state.site = site;
    state.plan = &site->reading;
    if (choice != nullptr) {
      const SiteChoice::Plan& plan = choice->plan(*site);
      state.plan = &plan.reading;
      state.use = plan.chosen ? kChosen : 0;
      has_chosen_ = has_chosen_ || plan.chosen;
    }
    if (site->kind == shm::SiteKind::kContext && contexts != Contexts::kRaw) {
      if (contexts == Contexts::kAside) state.use = 0;
      state.use |= kContext;
    }
    state.kind = state.plan->kind;
    state.values = place;
    place = std::copy(site->initial_values.begin(), site->initial_values.end(), place);
  }
}

// The head of any record with all checks.
bool ExtentDecoder::take_rare_head(const std::byte* at, Head& head) {
  HeadBytes bytes(at, walk_.end);
  std::uint64_t tag = 0;
  if (!bytes.take(1, tag)) return fail(bytes.failure());
  if (tag >> 4 == kPlaceExtension) {
    if (tag != kPlaceExtension << 4) return fail(kBadExtension);
    if (!bytes.take_extension(extension_) || !bytes.take(1, tag)) return fail(bytes.failure());
    head.extended = true;
  }
  head.place = static_cast<unsigned>(tag >> 4);
  const auto code = static_cast<unsigned>(tag & 15);
  if (head.place >= kPlaceExtension || code > kTimeBack) return fail(kBadHead);
  if (!bytes.take(code == kTimeBack ? 8 : code, head.delta) ||
      !bytes.take(head.place >> 1, head.index)) {
    return fail(bytes.failure());
  }
  head.at = bytes.at();
  return true;
}

// Returns the end of the arguments at `at`; null if they are invalid.
const std::byte* ExtentDecoder::take_arguments(const SiteState& site, const std::byte* at) {
  const ReadPlan& plan = *site.plan;
  const bool quick = walk_.end - at >= static_cast<std::ptrdiff_t>(plan.quick_bytes);
  if (site.kind == ReadKind::kAny || !quick) {
    return read_any_arguments(plan, *site.site, site.values, history_, at, walk_.end, &failed_);
  }
  if (site.kind == ReadKind::kIntegers) return read_integers(plan, site.values, at);
  const std::byte* end = nullptr;
  if (site.kind == ReadKind::kSkip) {
    end = skip_arguments(plan, at);
  } else if (site.kind == ReadKind::kScalars) {
    end = read_scalars(plan, site.values, history_.numbers(), at);
  } else {
    end = read_numbers(plan, *site.site, site.values, history_, at);
  }
  if (end == nullptr) fail(kBadTag);
  return end;
}

bool ExtentDecoder::next(Record& record) {
  if (failed_ != nullptr) return false;
  const RecordExtension* extension = nullptr;
  do {
    // Works on the members themselves: the loads of a copy would be wider than the stores of the
    // preceding record, and the processor could not forward them.
    if (!step(walk_, extension, shared_)) return false;
    if (walk_.site->use == kChosen) [[likely]]
      break;
    if (walk_.site->use >= kContext && !enter_context(*walk_.site)) return false;
  } while ((walk_.site->use & kChosen) == 0);
  std::uint64_t time = walk_.time;
  if (extension != nullptr) [[unlikely]] {
    if (extension != shared_) {
      time = own_time(time);
      add_task();
    }
    static_cast<RecordExtension&>(record) = *extension;
  } else if (record.ext_flags != 0) {
    static_cast<RecordExtension&>(record) = {};
  }
  record.context = context_;
  context_used_ = true;
  const SiteState& site = *walk_.site;
  record.tsc = time;
  record.stream_id = header_.stream_id;
  record.sequence = walk_.sequence - 1;
  record.site = site.site;
  record.processor = header_.processor();
  record.args = {site.values, site.site->initial_values.size()};
  return true;
}

}  // namespace ringside::trace
