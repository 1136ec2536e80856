/*
 * JSON texts and what a check of them says: one table for the tests that check a text whole and
 * for those that cut it into windows.
 */
#ifndef RT_TESTS_JSON_TEXTS_H
#define RT_TESTS_JSON_TEXTS_H

#include "base/slice.h"

struct json_text {
	const char *what;
	struct rt_slice text;
	const char *want; /* NULL: it is JSON, and the rest is not used */
	const char *have;
	size_t offset;
	size_t line, column;
};

#define GOOD(what, literal)                                                                        \
	{                                                                                          \
		what, {literal, sizeof(literal) - 1}, NULL, NULL, 0, 0, 0                          \
	}
#define BAD(what, literal, offset, line, column, want, have)                                       \
	{                                                                                          \
		what, {literal, sizeof(literal) - 1}, want, have, offset, line, column             \
	}

#define END "the end of the text"
#define ESCAPE "one of \"\\/bfnrtu after a backslash"
#define HEX "four hex digits after \\u"
#define LOW "a low surrogate after the high one"
#define HIGH "a high surrogate before the low one"
#define CONTROL "no control byte in a string"
#define NEXT_ITEM "',' or ']'"
#define NEXT_MEMBER "',' or '}'"
#define AFTER "nothing after the value"

/* clang-format off */
static const struct json_text json_texts[] = {
    GOOD("null", "null"),
    GOOD("true", "true"),
    GOOD("false", "false"),
    GOOD("blanks around", " \t\r\n false \n\r\t "),
    GOOD("many blanks", "[                 \r\n          \"\"\t\t                \n]"),
    GOOD("zero", "0"),
    GOOD("minus zero", "-0"),
    GOOD("integer", "1234567890"),
    GOOD("fraction", "-0.50"),
    GOOD("exponents", "[1e3,1E3,1e+3,1e-3,0e0,0.1e01]"),
    GOOD("overflow is no matter of grammar", "1e400"),
    GOOD("400 digits would do; here 30", "123456789012345678901234567890"),
    GOOD("empty string", "\"\""),
    GOOD("every short escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
    GOOD("\\u in either case", "\"\\u00e9\\u00E9\\uaBcD\\u0000\""),
    GOOD("surrogate pair", "\"\\ud83d\\uDE00\""),
    GOOD("surrogate pairs at their bounds", "\"\\ud800\\udc00\\udbff\\udfff\\ud7ff\\ue000\""),
    GOOD("UTF-8 bounds of 2 bytes", "\"\xC2\x80\xDF\xBF\""),
    GOOD("UTF-8 bounds of 3 bytes", "\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\""),
    GOOD("UTF-8 bounds of 4 bytes", "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\""),
    GOOD("DEL is no control byte of JSON", "\"\x7F\""),
    GOOD("empty array", "[ ]"),
    GOOD("empty object", "{ }"),
    GOOD("array of strings", "[\"a\" , \"b\",\"c\"]"),
    GOOD("array of strings, then others", "[\"a\",1,\"b\",[],{}]"),
    GOOD("object", "{\"a\" : 1 , \"b\":[true,{\"c\":null}],\"\":\"\"}"),
    GOOD("one key twice is a matter for others", "{\"a\":1,\"a\":2}"),
    GOOD("nested", "[[[[{\"a\":{\"b\":[[]]}}]]]]"),
    GOOD("empty containers side by side", "[[],{},[[]],[{}]]"),

    BAD("empty", "", 0, 1, 1, "a value", END),
    BAD("blanks only", " \n\n ", 4, 3, 2, "a value", END),
    BAD("BOM", "\xEF\xBB\xBF" "1", 0, 1, 1, "a value", "byte 0xEF"),
    BAD("raw NUL", "\0", 0, 1, 1, "a value", "byte 0x00"),
    BAD("raw NUL after an element", "[1\0]", 2, 1, 3, NEXT_ITEM, "byte 0x00"),
    BAD("raw NUL after the value", "1\0", 1, 1, 2, AFTER, "byte 0x00"),
    BAD("two values", "1 2", 2, 1, 3, AFTER, "'2'"),
    BAD("two values on two lines", "{}\n{}", 3, 2, 1, AFTER, "'{'"),
    BAD("vertical tab", "\v1", 0, 1, 1, "a value", "byte 0x0B"),
    BAD("no-break space", "\xC2\xA0" "1", 0, 1, 1, "a value", "byte 0xC2"),
    BAD("comment", "/**/1", 0, 1, 1, "a value", "'/'"),

    BAD("literal cut", "nul", 3, 1, 4, "null", END),
    BAD("literal with a wrong letter", "trUe", 2, 1, 3, "true", "'U'"),
    BAD("false, cut in an array", "[fals]", 5, 1, 6, "false", "']'"),
    BAD("literal that goes on", "nullx", 4, 1, 5, AFTER, "'x'"),
    BAD("True", "True", 0, 1, 1, "a value", "'T'"),
    BAD("NaN", "[NaN]", 1, 1, 2, "a value", "'N'"),
    BAD("Infinity", "-Infinity", 1, 1, 2, "a digit", "'I'"),

    BAD("minus only", "-", 1, 1, 2, "a digit", END),
    BAD("plus", "+1", 0, 1, 1, "a value", "'+'"),
    BAD("leading zero", "01", 1, 1, 2, AFTER, "'1'"),
    BAD("leading zero in an array", "[-012]", 3, 1, 4, NEXT_ITEM, "'1'"),
    BAD("no digit before the point", ".5", 0, 1, 1, "a value", "'.'"),
    BAD("no digit after the point", "1.", 2, 1, 3, "a digit after the point", END),
    BAD("no digit between point and exponent", "[1.e3]", 3, 1, 4, "a digit after the point",
	"'e'"),
    BAD("no digit in the exponent", "1e", 2, 1, 3, "a digit in the exponent", END),
    BAD("sign only in the exponent", "[1e+]", 4, 1, 5, "a digit in the exponent", "']'"),
    BAD("hexadecimal", "0x1F", 1, 1, 2, AFTER, "'x'"),
    BAD("two points", "1.2.3", 3, 1, 4, AFTER, "'.'"),

    BAD("string cut", "\"ab", 3, 1, 4, "a closing quote", END),
    BAD("string cut after a backslash", "\"ab\\", 4, 1, 5, ESCAPE, END),
    BAD("string cut after an escaped quote", "\"ab\\\"", 5, 1, 6, "a closing quote", END),
    BAD("quote only", "\"", 1, 1, 2, "a closing quote", END),
    BAD("raw newline", "\"a\nb\"", 2, 1, 3, CONTROL, "byte 0x0A"),
    BAD("raw tab", "\"\t\"", 1, 1, 2, CONTROL, "byte 0x09"),
    BAD("raw NUL in a string", "\"a\0b\"", 2, 1, 3, CONTROL, "byte 0x00"),
    BAD("raw 0x1F", "\"\x1F\"", 1, 1, 2, CONTROL, "byte 0x1F"),
    BAD("escape that is none", "\"\\x41\"", 2, 1, 3, ESCAPE, "'x'"),
    BAD("escape of a quote that is single", "\"\\'\"", 2, 1, 3, ESCAPE, "'''"),
    BAD("escape in capitals", "\"\\N\"", 2, 1, 3, ESCAPE, "'N'"),
    BAD("\\U", "\"\\U0041\"", 2, 1, 3, ESCAPE, "'U'"),
    BAD("escape of a control byte", "\"\\\n\"", 2, 1, 3, ESCAPE, "byte 0x0A"),
    BAD("escape of UTF-8", "\"\\\xC3\xA9\"", 2, 1, 3, ESCAPE, "byte 0xC3"),
    BAD("\\u with three digits", "\"\\u004\"", 6, 1, 7, HEX, "'\"'"),
    BAD("\\u cut", "\"\\u00", 5, 1, 6, HEX, END),
    BAD("\\u with a letter too far", "\"\\u00g0\"", 5, 1, 6, HEX, "'g'"),
    BAD("\\u with a sign", "\"\\u+041\"", 3, 1, 4, HEX, "'+'"),
    BAD("low surrogate alone", "\"a\\udc00\"", 2, 1, 3, HIGH, "'\\'"),
    BAD("high surrogate alone", "\"\\ud800\"", 7, 1, 8, LOW, "'\"'"),
    BAD("high surrogate, then a letter", "\"\\uD800x\"", 7, 1, 8, LOW, "'x'"),
    BAD("high surrogate, then an escape", "\"\\uD800\\n\"", 8, 1, 9, LOW, "'n'"),
    BAD("high surrogate, then no surrogate", "\"\\ud800\\u0041\"", 7, 1, 8, LOW, "'\\'"),
    BAD("high surrogate, then one after the surrogates", "\"\\ud800\\ue000\"", 7, 1, 8, LOW, "'\\'"),
    BAD("high surrogate twice", "\"\\ud800\\udbff\"", 7, 1, 8, LOW, "'\\'"),
    BAD("high surrogate, then one cut", "\"\\ud800\\udc0\"", 12, 1, 13, HEX, "'\"'"),

    BAD("continuation byte alone", "\"\x80\"", 1, 1, 2, "UTF-8", "byte 0x80"),
    BAD("2 bytes, overlong", "\"\xC1\xBF\"", 1, 1, 2, "UTF-8", "byte 0xC1"),
    BAD("2 bytes, cut", "\"a\xC3\"", 2, 1, 3, "UTF-8", "byte 0xC3"),
    BAD("3 bytes, overlong", "\"\xE0\x9F\xBF\"", 1, 1, 2, "UTF-8", "byte 0xE0"),
    BAD("3 bytes, cut", "\"\xE2\x82\"", 1, 1, 2, "UTF-8", "byte 0xE2"),
    BAD("surrogate in UTF-8", "\"\xED\xA0\x80\"", 1, 1, 2, "UTF-8", "byte 0xED"),
    BAD("4 bytes, overlong", "\"\xF0\x8F\xBF\xBF\"", 1, 1, 2, "UTF-8", "byte 0xF0"),
    BAD("4 bytes, cut", "\"\xF0\x9F\x98\"", 1, 1, 2, "UTF-8", "byte 0xF0"),
    BAD("beyond U+10FFFF", "\"\xF4\x90\x80\x80\"", 1, 1, 2, "UTF-8", "byte 0xF4"),
    BAD("byte 0xF5", "\"\xF5\x80\x80\x80\"", 1, 1, 2, "UTF-8", "byte 0xF5"),
    BAD("byte 0xFF", "\"\xFF\"", 1, 1, 2, "UTF-8", "byte 0xFF"),
    BAD("a sequence, then a bad one", "\"\xC3\xA9\xC3\"", 3, 1, 4, "UTF-8", "byte 0xC3"),
    BAD("a sequence cut by the text's end", "\"\xF0\x9F\x98", 1, 1, 2, "UTF-8", "byte 0xF0"),

    BAD("array not closed", "[", 1, 1, 2, "a value", END),
    BAD("array not closed after an element", "[1", 2, 1, 3, NEXT_ITEM, END),
    BAD("array not closed after a string", "[\"a\"", 4, 1, 5, NEXT_ITEM, END),
    BAD("array not closed after a comma", "[\"a\",", 5, 1, 6, "a value", END),
    BAD("array closed by a brace", "[1}", 2, 1, 3, NEXT_ITEM, "'}'"),
    BAD("array of strings closed by a brace", "[\"a\"}", 4, 1, 5, NEXT_ITEM, "'}'"),
    BAD("comma first", "[,1]", 1, 1, 2, "a value", "','"),
    BAD("comma last", "[1,]", 3, 1, 4, "a value", "']'"),
    BAD("comma last after a string", "[\"a\",]", 5, 1, 6, "a value", "']'"),
    BAD("two commas", "[1,,2]", 3, 1, 4, "a value", "','"),
    BAD("no comma", "[1 2]", 3, 1, 4, NEXT_ITEM, "'2'"),
    BAD("no comma between strings", "[\"a\"\"b\"]", 4, 1, 5, NEXT_ITEM, "'\"'"),
    BAD("no comma between objects", "[{}{}]", 3, 1, 4, NEXT_ITEM, "'{'"),
    BAD("colon in an array", "[\"a\":1]", 4, 1, 5, NEXT_ITEM, "':'"),
    BAD("bracket too many", "[]]", 2, 1, 3, AFTER, "']'"),
    BAD("bracket only", "]", 0, 1, 1, "a value", "']'"),
    BAD("fault on a later line", "[\n \"a\",\n  \"b\" c]", 14, 3, 7, NEXT_ITEM, "'c'"),
    BAD("fault after CRLF", "[\r\n1,\r\n x]", 8, 3, 2, "a value", "'x'"),

    BAD("object not closed", "{", 1, 1, 2, "a member name or '}'", END),
    BAD("object not closed after a name", "{\"a\"", 4, 1, 5, "':'", END),
    BAD("object not closed after a colon", "{\"a\":", 5, 1, 6, "a value", END),
    BAD("object not closed after a value", "{\"a\":1", 6, 1, 7, NEXT_MEMBER, END),
    BAD("object not closed after a comma", "{\"a\":1,", 7, 1, 8, "a member name", END),
    BAD("object not closed in a name", "{\"a", 3, 1, 4, "a closing quote", END),
    BAD("object closed by a bracket", "{\"a\":1]", 6, 1, 7, NEXT_MEMBER, "']'"),
    BAD("comma first in an object", "{,\"a\":1}", 1, 1, 2, "a member name or '}'", "','"),
    BAD("comma last in an object", "{\"a\":1,}", 7, 1, 8, "a member name", "'}'"),
    BAD("two commas in an object", "{\"a\":1,,\"b\":2}", 7, 1, 8, "a member name", "','"),
    BAD("no comma between members", "{\"a\":1\"b\":2}", 6, 1, 7, NEXT_MEMBER, "'\"'"),
    BAD("no colon", "{\"a\" 1}", 5, 1, 6, "':'", "'1'"),
    BAD("comma for a colon", "{\"a\",1}", 4, 1, 5, "':'", "','"),
    BAD("two colons", "{\"a\"::1}", 5, 1, 6, "a value", "':'"),
    BAD("no value", "{\"a\":}", 5, 1, 6, "a value", "'}'"),
    BAD("name without quotes", "{a:1}", 1, 1, 2, "a member name or '}'", "'a'"),
    BAD("name in single quotes", "{'a':1}", 1, 1, 2, "a member name or '}'", "'''"),
    BAD("number as a name", "{\"a\":1,2:3}", 7, 1, 8, "a member name", "'2'"),
    BAD("leading zero of a member", "{\"a\":01}", 6, 1, 7, NEXT_MEMBER, "'1'"),
    BAD("leading zero of a fraction", "{\"a\":00.5}", 6, 1, 7, NEXT_MEMBER, "'0'"),
    BAD("no digit after a member's point", "{\"a\":1.}", 7, 1, 8, "a digit after the point", "'}'"),
    BAD("two points", "{\"a\":1.5.5}", 8, 1, 9, NEXT_MEMBER, "'.'"),
    GOOD("numbers of members", "{\"a\":0,\"b\":0.5\n,\"c\":12345678,\"d\":1.12345678,\"e\":0e1}"),
    BAD("bad escape in a name", "{\"\\q\":1}", 3, 1, 4, ESCAPE, "'q'"),
    BAD("brace only", "}", 0, 1, 1, "a value", "'}'"),
    BAD("fault deep inside", "{\"a\":[{\"b\":[\n1,{\"c\":tru}]}]}", 23, 2, 11, "true", "'}'"),
};
/* clang-format on */

#define JSON_TEXTS (sizeof(json_texts) / sizeof(json_texts[0]))

#endif
