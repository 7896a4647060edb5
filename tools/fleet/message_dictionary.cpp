#include "tools/fleet/message_dictionary.hpp"

#include <cstring>
#include <utility>

#include "tools/fleet/dictionary_fragments.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::fleet {
namespace {

class Definition {
 public:
  template <class Number>
  void put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put_text(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  std::uint64_t hash() const {
    const ContentHash hash = content_hash(std::as_bytes(std::span(bytes_)));
    std::uint64_t first = 0;
    std::memcpy(&first, hash.data(), sizeof first);
    return first;
  }

 private:
  std::string bytes_;
};

std::vector<std::string> json_keys(const trace::Site& site) {
  std::vector<std::string> keys;
  for (const std::string& key : trace::field_keys(site, trace::json_text))
    keys.push_back('"' + key + "\":");
  return keys;
}

}  // namespace

std::uint64_t statement_id(const trace::Site& site) {
  Definition definition;
  definition.put(site.kind);
  definition.put(site.level);
  definition.put(site.style);
  definition.put(site.line);
  definition.put(site.keywords);
  for (const std::string* const text :
       {&site.name, &site.category, &site.format, &site.file, &site.function})
    definition.put_text(*text);
  for (const trace::Field& field : site.fields) {
    definition.put(field.type);
    definition.put(field.is_array);
    definition.put(field.flags);
    definition.put_text(field.name);
    definition.put_text(field.constant);
  }
  return definition.hash();
}

std::uint8_t level_number(const trace::Site& site) {
  return site.level <= shm::Level::kOff ? static_cast<std::uint8_t>(site.level) : 0;
}

std::uint8_t kind_number(const trace::Site& site) {
  return site.kind <= shm::SiteKind::kContext ? static_cast<std::uint8_t>(site.kind) : 0;
}

StatementFacts::StatementFacts(const trace::Site& statement)
    : site(statement),
      id(statement_id(statement)),
      message(statement),
      keys(json_keys(statement)) {}

const std::vector<std::string>& StatementFacts::context_keys(const trace::Site& context) {
  const auto found = context_keys_.find(&context);
  if (found != context_keys_.end()) return found->second;
  if (context_keys_.size() >= kMostContexts) context_keys_.clear();
  trace::Site joined;
  joined.fields = site.fields;
  for (trace::Field field : context.fields) {
    field.name = "context." + field.name;
    joined.fields.push_back(std::move(field));
  }
  std::vector<std::string> all = json_keys(joined);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(site.fields.size()));
  return context_keys_[&context] = std::move(all);
}

bool MessageDictionary::add(std::span<const std::byte> entries, std::string* why) {
  bytes_ += entries.size();
  return sites_.add(entries, why);
}

StatementFacts& MessageDictionary::facts_of(const trace::Site& site) {
  if (site.id >= facts_.size()) facts_.resize(sites_.id_limit());
  std::unique_ptr<StatementFacts>& facts = facts_[site.id];
  if (facts == nullptr) facts = std::make_unique<StatementFacts>(site);
  return *facts;
}

DictionaryCache::Found DictionaryCache::fetch(const ContentHash& hash, std::size_t most_bytes,
                                              Bytes& bytes, std::string* why) {
  switch (fetch_.whole(hash, most_bytes, bytes, why)) {
    case FetchedWhole::kYes:
      return Found::kYes;
    case FetchedWhole::kInvalid:
      return Found::kInvalid;
    case FetchedWhole::kNotNow:
      break;
  }
  if (fetch_.missing().empty()) return Found::kUnknown;
  *why = "a part of its dictionary is missing: " + fetch_.missing();
  return Found::kMissing;
}

DictionaryCache::Found DictionaryCache::load(const ContentHash& manifest,
                                             MessageDictionary& dictionary, std::string* why) {
  if (manifest == ContentHash{}) return Found::kYes;
  Bytes bytes;
  if (const Found found = fetch(manifest, kMostManifestBytes, bytes, why); found != Found::kYes)
    return found;
  std::vector<ContentHash> fragments;
  if (!read_manifest(bytes, fragments, why)) return Found::kInvalid;
  for (const ContentHash& fragment : fragments) {
    if (const Found found = fetch(fragment, shm::kMaxEntryBytes, bytes, why); found != Found::kYes)
      return found;
    if (dictionary.bytes() + bytes.size() > kMostBytes) {
      *why = "its dictionary is too large";
      return Found::kInvalid;
    }
    if (!dictionary.add(bytes, why)) return Found::kInvalid;
  }
  return Found::kYes;
}

DictionaryCache::Found DictionaryCache::get(const ContentHash& manifest,
                                            MessageDictionary*& dictionary, std::string* why) {
  const auto known = known_.find(manifest);
  if (known != known_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    dictionary = entries_.front().dictionary.get();
    return Found::kYes;
  }
  auto loaded = std::make_unique<MessageDictionary>();
  if (const Found found = load(manifest, *loaded, why); found != Found::kYes) return found;
  dictionary = loaded.get();
  bytes_ += loaded->bytes();
  entries_.push_front({manifest, std::move(loaded)});
  known_[manifest] = entries_.begin();
  while (entries_.size() > 1 && (bytes_ > kMostBytes || entries_.size() > kMostDictionaries))
    drop_oldest();
  return Found::kYes;
}

void DictionaryCache::drop_oldest() {
  bytes_ -= entries_.back().dictionary->bytes();
  known_.erase(entries_.back().manifest);
  entries_.pop_back();
}

}  // namespace ringside::fleet
