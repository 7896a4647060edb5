#include "tools/interop/ctf/ctf_trace_import.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_names.hpp"

namespace ringside::tool::ctf {
namespace {

constexpr std::size_t kFirstWindow = std::size_t{1} << 20;
constexpr std::size_t kMostWindow = std::size_t{64} << 20;
// The limit of one loss, so that the sum of many fits a sequence number.
constexpr std::uint64_t kMostLost = std::uint64_t{1} << 40;

std::string constant_of(const trace::Value& value) {
  if (shm::is_variable_length(value.type)) return std::string(value.text);
  const std::uint64_t halves[2]{value.u64, value.high};
  if (value.type == shm::FieldType::f32) return {reinterpret_cast<const char*>(&value.f32), 4};
  return {reinterpret_cast<const char*>(halves), shm::fixed_size(value.type)};
}

}  // namespace

TraceImport::TraceImport(Trace& trace, ImportContext& context)
    : trace_(trace),
      context_(context),
      builder_(context.builder),
      report_(context.report),
      identities_(trace, context.builder, context.room, context.report) {
  for (const EventDescription& event : trace.metadata().events) {
    const Key key{event.stream_id, event.id};
    // Done first, because references in these events give slots to fields that precede them in
    // every event.
    if (!trace.metadata().streams.contains(event.stream_id)) continue;
    const auto [place, is_new] = events_.try_emplace(key);
    if (is_new) make(event, place->second);
  }
  for (auto& [key, event] : events_) {
    straighten(event.layout.context);
    straighten(event.layout.fields);
  }
  for (const auto& [id, description] : trace.metadata().streams) {
    StreamReader& stream = trace.stream(id);
    identities_.columns_of_stream(stream);  // this also gives columns to its contexts
    straighten(stream.layout.event_context);
    straighten(stream.layout.event_header);
    stream.layout.brief_header = brief_header_of(stream.layout.event_header);
  }
  const std::vector<Packet>& packets = trace.packets();
  order_.resize(packets.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return packets[a].begin_ns < packets[b].begin_ns;
  });
}

std::optional<std::uint64_t> TraceImport::next_begin_ns() const {
  if (next_ == order_.size()) return {};
  return trace_.packets()[order_[next_]].begin_ns;
}

void TraceImport::read_next() {
  const std::vector<Packet>& packets = trace_.packets();
  const std::uint32_t i = order_[next_++];
  const bool follows = i != 0 && packets[i - 1].instance == packets[i].instance;
  read(packets[i], follows ? &packets[i - 1] : nullptr);
}

void TraceImport::damaged(std::uint64_t offset, const Packet& packet, const std::string& why) {
  if (outcome_.end == ReadEnd::kWhole) {
    outcome_ = ReadOutcome::damaged(offset, trace_.files()[packet.file] + ": " + why);
  }
}

void TraceImport::warn(std::string warning) {
  if (std::find(outcome_.warnings.begin(), outcome_.warnings.end(), warning) ==
      outcome_.warnings.end()) {
    outcome_.warnings.push_back(std::move(warning));
  }
}

void TraceImport::read(const Packet& packet, const Packet* before) {
  if (open_file_ != packet.file || context_.window_owner != this) {
    open_file_ = packet.file;
    context_.window_owner = this;
    if (!context_.window.open(trace_.directory_fd(), trace_.files()[packet.file])) {
      open_file_ = kNone;
      return damaged(0, packet, "cannot be opened any longer");
    }
  }
  stream_ = &trace_.stream(packet.stream_id);
  window_begin_ = 0;
  identities_.prepare(*stream_, decoder_);
  std::string why;
  if (!load(packet, 0, kFirstWindow))
    return damaged(packet.offset, packet, "the file has become shorter");
  Packet head;
  const std::uint64_t clock = decoder_.clock();
  if (!trace_.read_head(decoder_, head, &why)) return damaged(packet.offset, packet, why);
  if (before != nullptr && !stream_->has_begin) decoder_.set_clock(clock);
  // A packet can claim more bits than its file has.
  decoder_.expect_bits(std::min(packet.bits, 8 * (context_.window.size() - packet.offset)));
  identities_.begin_packet(*stream_, packet, decoder_);
  tell_missing(packet, before);
  read_events(packet);
  tell_discarded(packet, before);
}

bool TraceImport::load(const Packet& packet, std::uint64_t first_byte, std::size_t bytes) {
  const std::uint64_t content = (packet.bits + 7) / 8;
  const std::uint64_t wanted =
      std::min<std::uint64_t>(bytes, content - std::min(content, first_byte));
  const auto held =
      context_.window.load(packet.offset + first_byte, static_cast<std::size_t>(wanted));
  window_end_ = first_byte + held.size();
  decoder_.bits().open(held, first_byte, packet.bits);
  return !held.empty() || wanted == 0;
}

void TraceImport::read_events(const Packet& packet) {
  std::size_t window = kFirstWindow;
  while (decoder_.bits().at() < packet.bits) {
    const std::uint64_t at = decoder_.bits().at();
    const std::uint64_t clock = decoder_.clock();
    const Decoded decoded = read_event(packet);
    if (decoded == Decoded::kYes) {
      if (decoder_.bits().at() == at)
        return damaged(packet.offset + at / 8, packet, "an event has no bits");
      continue;
    }
    if (decoded == Decoded::kBad) return damaged(packet.offset + at / 8, packet, why_);
    // The event continues after the window, or else the packet ends within it.
    const bool whole = window_end_ >= (packet.bits + 7) / 8;
    if (!whole && at / 8 == window_begin_) window *= 2;
    window_begin_ = at / 8;
    const std::uint64_t end_before = window_end_;
    if (whole || window > kMostWindow || !load(packet, window_begin_, window) ||
        window_end_ <= end_before) {
      return damaged(packet.offset + at / 8, packet, "the packet ends within this event");
    }
    decoder_.bits().go_to(at);
    decoder_.set_clock(clock);
  }
}

Decoded TraceImport::step(const Node& node) {
  if (node.children.empty() && node.align_bits == 1) return Decoded::kYes;  // there is no such part
  const Decoded decoded = decoder_.decode(node);
  if (decoded == Decoded::kBad) why_ = decoder_.failure();
  return decoded;
}

Decoded TraceImport::read_event(const Packet& packet) {
  decoder_.set_event_id(stream_->first_event.value_or(0));
  if (!decoder_.decode(stream_->layout.brief_header)) {
    if (const Decoded d = step(stream_->layout.event_header); d != Decoded::kYes) return d;
  }
  const Key key{packet.stream_id, decoder_.event_id()};
  if (event_ == nullptr || key != event_key_) {
    event_ = find_event(key);
    event_key_ = key;
  }
  if (event_ == nullptr || !event_->broken.empty()) {
    why_ = event_ == nullptr ? fmt::format("event {} of stream {} is not defined in the metadata",
                                           key.second, key.first)
                             : event_->broken;
    return Decoded::kBad;
  }
  for (const Node* node :
       {&std::as_const(stream_->layout.event_context), &std::as_const(event_->layout.context),
        &std::as_const(event_->layout.fields)}) {
    if (const Decoded d = step(*node); d != Decoded::kYes) return d;
  }
  deliver(*event_,
          stream_->clock == nullptr ? packet.begin_ns : stream_->unix_ns(decoder_.clock()));
  return Decoded::kYes;
}

TraceImport::Event* TraceImport::find_event(const Key& key) {
  const auto known = events_.find(key);
  return known == events_.end() ? nullptr : &known->second;
}

void TraceImport::make(const EventDescription& description, Event& event) {
  LayoutMaker& layouts = trace_.layouts();
  StreamReader& stream = trace_.stream(description.stream_id);
  if (!layouts.make_event(description, stream.layout, event.layout)) {
    event.broken = layouts.error();
    return;
  }
  std::uint32_t next = identities_.columns_of_stream(stream);
  const auto facts = trace_.metadata().env.find(fmt::format("{}{}", kEventEntry, description.id));
  if (facts != trace_.metadata().env.end() && identities_.is_ours()) {
    event.facts = facts_of_event(facts->second, event.layout.fields, layouts, next);
  }
  if (event.facts) {
    event.site = event.facts->site;
    event.columns = event.facts->columns;
  } else {
    describe(description, stream, event, next);
  }
  decoder_.make_room(layouts.slots(), next);
}

void TraceImport::describe(const EventDescription& description, StreamReader& stream, Event& event,
                           std::uint32_t& next) {
  event.site.kind = shm::SiteKind::kEvent;
  event.site.name = description.name;
  const std::size_t colon = description.name.find(':');
  if (colon != std::string::npos) {
    event.site.category = description.name.substr(0, colon);
    event.site.name = description.name.substr(colon + 1);
  }
  event.site.format = event.site.name;
  event.site.level = description.loglevel ? level_of(*description.loglevel) : shm::Level::kInfo;
  event.columns = columns_of(event.layout.fields, "", next);
  std::vector<Column> more = columns_of(event.layout.context, "", next);
  const std::vector<Column>& shared = identities_.context_columns(stream);
  more.insert(more.end(), shared.begin(), shared.end());
  for (Column& column : more) {
    column.field.name = "ctf." + column.field.name;
    event.columns.push_back(std::move(column));
  }
  if (event.columns.size() > shm::kMaxFields) {
    warn(fmt::format("fields after the {}th of an event are left out", shm::kMaxFields));
    event.columns.resize(shm::kMaxFields);
  }
}

void TraceImport::add_site(Event& event) {
  event.left_out = builder_.sites() >= TraceBuilder::kMostSites;
  for (const Column& column : event.columns) {
    FieldDefinition& field = event.site.fields.emplace_back(column.field);
    if (column.names != nullptr) add_names(*column.names, field);
    if (column.is_constant) field.constant = constant_of(value_of(column));
  }
  if (!event.left_out) event.site_id = builder_.add_site(event.site);
  event.site = {};
}

void TraceImport::deliver(Event& event, std::uint64_t unix_ns) {
  if (event.site_id == 0) [[unlikely]] {
    if (!event.left_out) add_site(event);
    if (event.left_out) return report_.lost("kinds of events after the millionth are left out");
  }
  const std::uint32_t stream = identities_.stream_of_event(decoder_);
  if (event.facts) {
    builder_.begin(stream, event.site_id, unix_ns, extension_of(*event.facts));
  } else {
    builder_.begin(stream, event.site_id, unix_ns);
  }
  for (const Column& column : event.columns) {
    if (!column.is_constant) builder_.put_value(value_of(column));
  }
  builder_.end();
}

trace::RecordExtension TraceImport::extension_of(const EventFacts& facts) const {
  trace::RecordExtension extension;
  extension.processor = identities_.processor_of_packet();
  if (facts.ext_flags == 0) return extension;
  extension.ext_flags = facts.ext_flags;
  extension.substream = decoder_.slot(facts.substream);
  extension.stack_id = static_cast<std::uint32_t>(decoder_.slot(facts.stack));
  extension.duration = decoder_.slot(facts.duration);
  const auto take = [&](std::uint32_t column, std::array<std::uint8_t, 16>& id) {
    if (column != kNone) std::copy_n(decoder_.column(column).text.begin(), 16, id.begin());
  };
  take(facts.activity, extension.activity);
  take(facts.related, extension.related);
  return extension;
}

void TraceImport::tell_missing(const Packet& packet, const Packet* before) {
  if (before == nullptr || packet.sequence == kNoSequence) return;
  const std::uint64_t gap = packet.sequence - before->sequence - 1;
  if (gap == 0 || gap > (std::uint64_t{1} << 62)) return;
  builder_.lost(identities_.stream_of_packet(), packet.begin_ns, std::min(gap, kMostLost),
                shm::LossCause::kMissing);
  warn("packets are missing; each counts as one lost record");
}

void TraceImport::tell_discarded(const Packet& packet, const Packet* before) {
  std::uint64_t lost = packet.discarded - (before == nullptr ? 0 : before->discarded);
  if (before != nullptr && packet.discarded < before->discarded)
    lost &= std::min<std::uint64_t>(stream_->most_discarded, UINT32_MAX);
  if (lost == 0) return;
  if (lost > kMostLost) {
    lost = kMostLost;
    warn("an implausible count of discarded events became 2^40");
  }
  builder_.lost(identities_.stream_of_packet(), packet.end_ns, lost, identities_.cause_of_packet());
}

}  // namespace ringside::tool::ctf
