#include "trace-format/packing/text_column.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include "trace-format/packing/column_compressor.hpp"
#include "trace-format/packing/integer_column.hpp"
#include "trace-format/packing/text_template.hpp"

namespace ringside::trace {
namespace {

using Texts = std::span<const std::string_view>;
using Values = std::vector<std::uint64_t>;

struct TextChoice {
  bool dictionary = false;
  std::optional<NumberWidth> templates;
};

// The texts that occur, in order of appearance, and which of them each text is.
struct Distinct {
  std::vector<std::string_view> texts;
  Values places;
};

Distinct distinct_of(Texts texts) {
  Distinct distinct;
  std::unordered_map<std::string_view, std::uint64_t> place;
  distinct.places.reserve(texts.size());
  for (const std::string_view text : texts) {
    const auto [found, is_new] = place.try_emplace(text, distinct.texts.size());
    if (is_new) distinct.texts.push_back(text);
    distinct.places.push_back(found->second);
  }
  return distinct;
}

void put_plain(Texts texts, ColumnWriter& out) {
  Values lengths;
  lengths.reserve(texts.size());
  for (const std::string_view text : texts) lengths.push_back(text.size());
  out.put_byte(static_cast<unsigned>(TextModel::kPlain));
  put_integers(lengths, out);
  out.cut();
  for (const std::string_view text : texts) out.put_bytes(std::as_bytes(std::span(text)));
  out.cut();
}

// False if a text has a byte that is a mark; nothing is written then.
bool put_templates(Texts texts, NumberWidth width, ColumnWriter& out) {
  std::deque<std::string> owned;
  std::vector<std::string_view> forms;
  std::unordered_map<std::string_view, std::uint64_t> place;
  Values places;
  std::vector<std::vector<Values>> columns;  // by template, by number
  std::string form;
  Values numbers;
  for (const std::string_view text : texts) {
    numbers.clear();
    if (!split_text(text, width, form, numbers)) return false;
    auto found = place.find(form);
    if (found == place.end()) {
      owned.push_back(form);
      found = place.emplace(owned.back(), forms.size()).first;
      forms.push_back(owned.back());
      columns.emplace_back(numbers.size());
    }
    places.push_back(found->second);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      columns[found->second][i].push_back(numbers[i]);
  }
  out.put_byte(static_cast<unsigned>(TextModel::kTemplates));
  out.put_number(forms.size());
  put_plain(forms, out);
  put_integers(places, out);
  for (const auto& of_form : columns) {
    for (const Values& column : of_form) put_integers(column, out);
  }
  return true;
}

void put_with(Texts texts, const TextChoice& choice, ColumnWriter& out) {
  if (choice.dictionary) {
    const Distinct distinct = distinct_of(texts);
    out.put_byte(static_cast<unsigned>(TextModel::kDictionary));
    out.put_number(distinct.texts.size());
    put_with(distinct.texts, {false, choice.templates}, out);
    put_integers(distinct.places, out);
  } else if (!choice.templates || !put_templates(texts, *choice.templates, out)) {
    put_plain(texts, out);
  }
}

TextChoice choose(Texts texts) {
  constexpr std::size_t kSampleTexts = 2048;
  constexpr std::size_t kSampleBytes = 64 << 10;
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(texts.size(), kSampleTexts) && bytes < kSampleBytes) {
    bytes += texts[count++].size();
  }
  const Texts sample = texts.first(count);
  TextChoice best;
  std::size_t best_bytes = SIZE_MAX;
  ColumnCompressor compressor(ColumnCompressor::kQuick);
  ColumnWriter column;
  for (const bool dictionary : {false, true}) {
    for (const std::optional<NumberWidth> templates :
         {std::optional<NumberWidth>(), std::optional(NumberWidth::kFree),
          std::optional(NumberWidth::kFixed)}) {
      column.clear();
      put_with(sample, {dictionary, templates}, column);
      const std::size_t size = compressor.size_of(column);
      if (size >= best_bytes) continue;
      best = {dictionary, templates};
      best_bytes = size;
    }
  }
  return best;
}

void take_plain(ColumnReader& in, std::size_t count, std::vector<std::string_view>& texts) {
  Values lengths;
  take_integers(in, count, lengths);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    const auto bytes = in.take_bytes(lengths[i]);
    texts[i] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
}

void take_templates(ColumnReader& in, std::size_t count, TextRoom& room,
                    std::vector<std::string_view>& texts) {
  std::vector<std::string_view> forms(static_cast<std::size_t>(in.take_number(count)));
  if (static_cast<TextModel>(in.take_byte()) != TextModel::kPlain) in.fail();
  if (in.failed()) return;
  take_plain(in, forms.size(), forms);
  Values places;
  take_integers(in, count, places);
  if (in.failed()) return;
  Values uses(forms.size());
  for (const std::uint64_t place : places) {
    if (place >= forms.size()) return in.fail();
    ++uses[place];
  }
  struct Form {
    std::size_t numbers = 0;
    Values rows;  // the numbers of one text after those of the other
    std::size_t next = 0;
  };
  std::vector<Form> parts(forms.size());
  Values column;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::ptrdiff_t numbers = count_numbers(forms[i]);
    if (numbers < 0) return in.fail();
    Form& part = parts[i];
    part.numbers = static_cast<std::size_t>(numbers);
    const auto used = static_cast<std::size_t>(uses[i]);
    if (!room.add_numbers(used, part.numbers)) return in.fail();
    part.rows.resize(part.numbers * used);
    for (std::size_t n = 0; n < part.numbers; ++n) {
      take_integers(in, used, column);
      if (in.failed()) return;
      for (std::size_t row = 0; row < used; ++row) part.rows[row * part.numbers + n] = column[row];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    Form& part = parts[place];
    std::string text;
    if (!join_text(forms[place], part.rows.data() + part.next, text) ||
        !room.add(std::move(text))) {
      return in.fail();
    }
    part.next += part.numbers;
    texts[i] = room.last();
  }
}

void take_entries(ColumnReader& in, std::size_t count, TextModel model, TextRoom& room,
                  std::vector<std::string_view>& texts) {
  if (model == TextModel::kPlain) return take_plain(in, count, texts);
  if (model == TextModel::kTemplates) return take_templates(in, count, room, texts);
  in.fail();
}

}  // namespace

void put_texts(Texts texts, ColumnWriter& out) {
  if (!texts.empty()) put_with(texts, choose(texts), out);
}

void take_texts(ColumnReader& in, std::size_t count, TextRoom& room,
                std::vector<std::string_view>& texts) {
  texts.assign(count, {});
  if (count == 0) return;
  const auto model = static_cast<TextModel>(in.take_byte());
  if (model != TextModel::kDictionary) return take_entries(in, count, model, room, texts);
  std::vector<std::string_view> distinct(static_cast<std::size_t>(in.take_number(count)));
  take_entries(in, distinct.size(), static_cast<TextModel>(in.take_byte()), room, distinct);
  Values places;
  take_integers(in, count, places);
  if (in.failed()) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (places[i] >= distinct.size()) return in.fail();
    texts[i] = distinct[static_cast<std::size_t>(places[i])];
  }
}

}  // namespace ringside::trace
