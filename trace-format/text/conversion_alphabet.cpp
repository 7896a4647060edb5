#include "trace-format/text/conversion_alphabet.hpp"

#include "trace-format/text/brace_conversion.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::trace {

using shm::FieldType;

ConversionAlphabet ConversionAlphabet::of_decimal() {
  ConversionAlphabet alphabet;
  // "<?>" stands for a value that does not suit the format.
  alphabet.add("0123456789+- <?>");
  return alphabet;
}

ConversionAlphabet ConversionAlphabet::of_type(FieldType type) {
  ConversionAlphabet alphabet = of_decimal();
  switch (type) {
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
    case FieldType::i128:
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
    case FieldType::u128:
      alphabet.add("abcdefxABCDEFX");  // hexadecimal and binary
      return alphabet;
    case FieldType::boolean:
      alphabet.add("truefalsebcdxABCDEFX");
      return alphabet;
    case FieldType::f32:
    case FieldType::f64:
    case FieldType::f80:
      // Also hexadecimal, and "inf" and "nan".
      alphabet.add(".,abcdefxpinABCDEFXPIN");
      return alphabet;
    case FieldType::pointer:
      alphabet.add("abcdefxABCDEFX(nil)");
      return alphabet;
    default:
      return any();
  }
}

ConversionAlphabet BraceConversion::alphabet() const {
  // A number can be shown as a character, in the notation of a locale, or with any padding.
  if (spec_.type == 'c' || spec_.localized) return ConversionAlphabet::any();
  ConversionAlphabet alphabet = ConversionAlphabet::of_type(type_);
  alphabet.add(spec_.fill);
  return alphabet;
}

ConversionAlphabet MessageFormat::alphabet_of(const Conversion& conversion) {
  ConversionAlphabet alphabet = ConversionAlphabet::of_decimal();
  switch (conversion.render) {
    case Render::plain_signed:
    case Render::plain_unsigned:
      return alphabet;
    case Render::signed_integer:
      alphabet.may_be_empty = true;  // 0 with the precision 0
      return alphabet;
    case Render::plain_hex:
    case Render::unsigned_integer:
      alphabet = ConversionAlphabet::of_type(FieldType::u64);
      alphabet.may_be_empty = true;
      return alphabet;
    case Render::plain_fixed:
    case Render::floating:
    case Render::library_double:
    case Render::library_long_double:
    case Render::shortest_float:
    case Render::shortest_double:
      return ConversionAlphabet::of_type(FieldType::f64);
    case Render::pointer:
      return ConversionAlphabet::of_type(FieldType::pointer);
    case Render::any_value:
      return ConversionAlphabet::of_type(conversion.type);
    case Render::brace:
      return conversion.brace->alphabet();
    case Render::plain_character:
    case Render::character:
    case Render::plain_string:
    case Render::string:
      break;
  }
  return ConversionAlphabet::any();
}

}  // namespace ringside::trace
