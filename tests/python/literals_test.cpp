#include "python/literals.h"

#include "python/source.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace deepperf::python {
namespace {

// The constant that one token is.
struct Literal {
  explicit Literal(const std::string &text) {
    std::ranges::copy(text, source.allocate(text.size()));
    const u32 size = static_cast<u32>(text.size());
    part.end = size;
    while (text[part.prefix_length] != '"' && text[part.prefix_length] != '\'') {
      char letter = static_cast<char>(text[part.prefix_length++] | 0x20);
      part.raw |= letter == 'r';
      part.bytes |= letter == 'b';
    }
    part.quote_length = text.substr(part.prefix_length, 3) == "\"\"\"" && size >= part.prefix_length + 6U ? 3 : 1;
    constant.kind = NodeKind::Constant;
    constant.end = size;
    constant.parts = {&part, 1};
  }

  Source source;
  StringPart part;
  StringConstant constant;
};

std::string str(const std::string &text) {
  Literal literal(text);
  return string_value(literal.source, literal.constant);
}

std::string bytes(const std::string &text) {
  Literal literal(text);
  return bytes_value(literal.source, literal.constant);
}

// A piece between the braces of an f-string.
std::string piece(const std::string &text, bool raw = false, bool verbatim = false) {
  Literal literal("''");
  std::ranges::copy(text, literal.source.allocate(text.size()));
  literal.part = StringPart();
  literal.part.end = static_cast<u32>(text.size());
  literal.part.raw = raw;
  literal.part.verbatim = verbatim;
  return string_value(literal.source, literal.constant);
}

TEST(StringValue, PlainText) {
  EXPECT_EQ(str("'abc'"), "abc");
  EXPECT_EQ(str("\"\""), "");
  EXPECT_EQ(str("u'größe 日本'"), "größe 日本");
  EXPECT_EQ(str("\"\"\"a\"b\"\"\""), "a\"b");
}

TEST(StringValue, SimpleEscapes) {
  EXPECT_EQ(str(R"('\\\'\"\a\b\f\n\r\t\v')"), "\\'\"\a\b\f\n\r\t\v");
  EXPECT_EQ(str("'a\\\nb'"), "ab");
  EXPECT_EQ(str("'a\\\r\nb'"), "ab");
  EXPECT_EQ(str("'a\\\rb'"), "ab");
}

TEST(StringValue, NumericEscapes) {
  EXPECT_EQ(str(R"('\0')"), std::string(1, '\0'));
  EXPECT_EQ(str(R"('\1018')"), "A8");
  EXPECT_EQ(str(R"('\18')"), "\x01"
                             "8");
  EXPECT_EQ(str(R"('\777')"), "\xC7\xBF"); // U+01FF
  EXPECT_EQ(str(R"('\x41\xe9')"), "A\xC3\xA9");
  EXPECT_EQ(str(R"('\u00e9\u65e5')"), "é日");
  EXPECT_EQ(str(R"('\U0001F600')"), "😀");
}

TEST(StringValue, SurrogatesStayApart) {
  EXPECT_EQ(str(R"('\ud83d\ude00')"), "\xED\xA0\xBD\xED\xB8\x80");
  EXPECT_EQ(python_repr_str(str(R"('\ud800x')")), R"('\ud800x')");
}

TEST(StringValue, Names) {
  EXPECT_EQ(str(R"('\N{BULLET}')"), "•");
  EXPECT_EQ(str(R"('\N{bullet}!')"), "•!");
  EXPECT_EQ(str(R"('\N{LINE FEED}')"), "\n"); // an alias
  EXPECT_EQ(str(R"('\N{nbsp}\N{VS16}\N{VS17}')"), "\u00a0\ufe0f\U000e0100");
  EXPECT_EQ(str(R"('\N{VS257}\N{VS}')"), R"(\N{VS257}\N{VS})");
  EXPECT_EQ(str(R"('\N{LATIN SMALL LETTER GHA}')"), "ƣ");
  EXPECT_EQ(str(R"('\N{CJK UNIFIED IDEOGRAPH-65E5}')"), "日");
  EXPECT_EQ(str(R"('\N{HANGUL SYLLABLE GAG}')"), "각");
  EXPECT_EQ(str(R"('\N{NO SUCH NAME}')"), R"(\N{NO SUCH NAME})");
}

TEST(StringValue, WhatIsNoEscapeStays) {
  EXPECT_EQ(str(R"('\d\.\8')"), R"(\d\.\8)");
  EXPECT_EQ(str(R"('\xZ')"), R"(\xZ)");
  EXPECT_EQ(str(R"('\x4')"), R"(\x4)");
  EXPECT_EQ(str(R"('\u12')"), R"(\u12)");
  EXPECT_EQ(str(R"('\U00110000')"), R"(\U00110000)");
  EXPECT_EQ(str(R"('\N{')"), R"(\N{)");
  EXPECT_EQ(str(R"('\N')"), R"(\N)");
}

TEST(StringValue, Raw) {
  EXPECT_EQ(str(R"(r'\n\x41')"), R"(\n\x41)");
  EXPECT_EQ(str("R'a\\\nb'"), "a\\\nb");
}

TEST(StringValue, LineEndsAreNormalised) {
  EXPECT_EQ(str("\"\"\"a\r\nb\rc\nd\"\"\""), "a\nb\nc\nd");
  EXPECT_EQ(str("r'''a\r\nb'''").find('\r'), std::string::npos);
}

TEST(StringValue, NeverClosed) {
  EXPECT_EQ(str("'abc"), "abc");
  EXPECT_EQ(str("'"), "");
  EXPECT_EQ(str("'a\\"), "a\\");
}

TEST(StringValue, PiecesOfFStrings) {
  EXPECT_EQ(piece("a{{b}}c"), "a{b}c");
  EXPECT_EQ(piece("{{{{"), "{{");
  EXPECT_EQ(piece(R"(\n{{)"), "\n{");
  EXPECT_EQ(piece(R"(\{{)"), R"(\{)"); // f"\{{" is a backslash and a brace
  EXPECT_EQ(piece(R"(a\)"), R"(a\)");  // of f"a\{x}"
  EXPECT_EQ(piece(R"(\N{BULLET}{{)"), "•{");
  EXPECT_EQ(piece(R"(\n{{)", true), R"(\n{)");
  EXPECT_EQ(piece("{{'\\n'}}\r\n = ", false, true), "{{'\\n'}}\n = ");
}

TEST(BytesValue, Escapes) {
  EXPECT_EQ(bytes(R"(b'\x00\xff\n\101')"), std::string("\0\xff\nA", 4));
  EXPECT_EQ(bytes(R"(b'\777')"), "\xff");
  EXPECT_EQ(bytes(R"(b'\u0041\N{BULLET}')"), R"(\u0041\N{BULLET})");
  EXPECT_EQ(bytes(R"(rb'\x00')"), R"(\x00)");
}

TEST(IntDecimal, Bases) {
  EXPECT_EQ(int_decimal("0"), "0");
  EXPECT_EQ(int_decimal("00_0"), "0");
  EXPECT_EQ(int_decimal("1_000_000"), "1000000");
  EXPECT_EQ(int_decimal("0xDEAD_beef"), "3735928559");
  EXPECT_EQ(int_decimal("0X0"), "0");
  EXPECT_EQ(int_decimal("0b1010"), "10");
  EXPECT_EQ(int_decimal("0o777"), "511");
}

TEST(IntDecimal, Python2) {
  EXPECT_EQ(int_decimal("0777"), "511");
  EXPECT_EQ(int_decimal("10L"), "10");
  EXPECT_EQ(int_decimal("0xFFl"), "255");
}

TEST(IntDecimal, AnySize) {
  EXPECT_EQ(int_decimal("0x10000000000000000"), "18446744073709551616");
  EXPECT_EQ(int_decimal("0xffffffffffffffffffffffffffffffff"), "340282366920938463463374607431768211455");
  EXPECT_EQ(int_decimal("0x8AC7230489E80000"), "10000000000000000000"); // inner limbs of zeros
  EXPECT_EQ(int_decimal("0b1" + std::string(100, '0')), "1267650600228229401496703205376");
  EXPECT_EQ(int_decimal(std::string(100, '9')), std::string(100, '9'));
  const std::string huge = "0x" + std::string(6000, 'f');
  EXPECT_EQ(int_decimal(huge), huge);
}

TEST(IntValue, FitsOrNot) {
  EXPECT_EQ(int_value("42"), 42);
  EXPECT_EQ(int_value("0x7fff_ffff_ffff_ffff"), std::numeric_limits<i64>::max());
  EXPECT_EQ(int_value("0x8000000000000000"), std::nullopt);
  EXPECT_EQ(int_value("017"), 15);
  EXPECT_EQ(int_value("0"), 0);
}

TEST(FloatValue, Literals) {
  EXPECT_EQ(float_value("1.5"), 1.5);
  EXPECT_EQ(float_value("1_0.2_5e1_0"), 10.25e10);
  EXPECT_EQ(float_value(".5"), 0.5);
  EXPECT_EQ(float_value("5."), 5.0);
  EXPECT_EQ(float_value("0777.5"), 777.5);
  EXPECT_EQ(float_value("1E+3"), 1000.0);
  EXPECT_EQ(float_value("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(float_value("1e-400"), 0.0);
  EXPECT_EQ(float_value("2.5j"), 2.5);
}

TEST(Repr, Floats) {
  EXPECT_EQ(python_repr(0.0), "0.0");
  EXPECT_EQ(python_repr(-0.0), "-0.0");
  EXPECT_EQ(python_repr(1.0), "1.0");
  EXPECT_EQ(python_repr(0.1), "0.1");
  EXPECT_EQ(python_repr(123456.789), "123456.789");
  EXPECT_EQ(python_repr(1e-4), "0.0001");
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(1.5e-7), "1.5e-07");
  EXPECT_EQ(python_repr(1e15), "1000000000000000.0");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(9007199254740993.0), "9007199254740992.0");
  EXPECT_EQ(python_repr(12345678901234567890.0), "1.2345678901234567e+19");
  EXPECT_EQ(python_repr(5e-324), "5e-324");
  EXPECT_EQ(python_repr(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(python_repr(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(python_repr(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Repr, Imaginary) {
  EXPECT_EQ(python_repr_imaginary(1.0), "1j");
  EXPECT_EQ(python_repr_imaginary(0.5), "0.5j");
  EXPECT_EQ(python_repr_imaginary(0.0), "0j");
  EXPECT_EQ(python_repr_imaginary(1e20), "1e+20j");
  EXPECT_EQ(python_repr_imaginary(float_value("1e400j")), "infj");
}

TEST(Repr, Strings) {
  EXPECT_EQ(python_repr_str(""), "''");
  EXPECT_EQ(python_repr_str("it's"), R"("it's")");
  EXPECT_EQ(python_repr_str("it's \"it\""), R"('it\'s "it"')");
  EXPECT_EQ(python_repr_str("a\n\t\r\\\x01\x7f"), R"('a\n\t\r\\\x01\x7f')");
  EXPECT_EQ(python_repr_str("é日😀"), "'é日😀'");
  EXPECT_EQ(python_repr_str("\xC2\xA0\xC2\xAD"), R"('\xa0\xad')"); // no-break space, soft hyphen
  EXPECT_EQ(python_repr_str("\xE2\x80\xA8\xEF\xBB\xBF"), R"('\u2028\ufeff')");
  EXPECT_EQ(python_repr_str("\xEE\x80\x80"), R"('\ue000')");         // private use
  EXPECT_EQ(python_repr_str("\xF3\xA0\x80\x81"), R"('\U000e0001')"); // a tag
  EXPECT_EQ(python_repr_str("\xF0\x91\xBC\x80"), R"('\U00011f00')"); // assigned since Unicode 15
}

TEST(Repr, Bytes) {
  EXPECT_EQ(python_repr_bytes("ab"), "b'ab'");
  EXPECT_EQ(python_repr_bytes("'"), R"(b"'")");
  EXPECT_EQ(python_repr_bytes("'\""), R"(b'\'"')");
  EXPECT_EQ(python_repr_bytes(std::string("\0\x7f\xff\n", 4)), R"(b'\x00\x7f\xff\n')");
}

} // namespace
} // namespace deepperf::python
