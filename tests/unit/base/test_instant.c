/*
 * Date-times: every form of SPEC D10 and many that are none, and every day of the years 1 to 9999
 * against timegm().
 */
#include "base/instant.h"

#include <stdio.h>
#include <time.h>

#include "unit.h"

/* 2024-02-29T12:34:56Z */
#define NOON INT64_C(1709210096)

static const struct {
	const char *what, *text;
	int64_t seconds;
	const char *fraction; /* NULL: not a date-time */
	bool date_only;
} rows[] = {
    {"T and Z", "2024-02-29T12:34:56Z", NOON, "", false},
    {"a space and Z", "2024-02-29 12:34:56Z", NOON, "", false},
    {"T, no offset", "2024-02-29T12:34:56", NOON, "", false},
    {"a space, no offset", "2024-02-29 12:34:56", NOON, "", false},
    {"no seconds", "2024-02-29T12:34", NOON - 56, "", false},
    {"no seconds, Z", "2024-02-29T12:34Z", NOON - 56, "", false},
    {"no seconds, a space, hours", "2024-02-29 12:34+01", NOON - 56 - 3600, "", false},
    {"no seconds, hours and minutes", "2024-02-29T12:34-0130", NOON - 56 + 5400, "", false},
    {"a bare date", "2024-02-29", NOON - 45296, "", true},
    {"+hh", "2024-02-29T12:34:56+02", NOON - 7200, "", false},
    {"-hh", "2024-02-29T12:34:56-02", NOON + 7200, "", false},
    {"+hhmm", "2024-02-29T12:34:56+0530", NOON - 19800, "", false},
    {"-hhmm", "2024-02-29T12:34:56-0530", NOON + 19800, "", false},
    {"+hh:mm", "2024-02-29T12:34:56+05:30", NOON - 19800, "", false},
    {"-hh:mm", "2024-02-29 12:34:56-05:30", NOON + 19800, "", false},
    {"offset of nothing", "2024-02-29T12:34:56+00:00", NOON, "", false},
    {"offset of minus nothing", "2024-02-29T12:34:56-00:00", NOON, "", false},
    {"largest offset", "2024-02-29T12:34:56+23:59", NOON - 86340, "", false},
    {"smallest offset", "2024-02-29T12:34:56-23:59", NOON + 86340, "", false},
    {"offset into the next day", "2024-02-29T23:30:00-01:00", 1709253000, "", false},
    {"one digit of fraction", "2024-02-29T12:34:56.5Z", NOON, "5", false},
    {"three digits", "2024-02-29T12:34:56.123Z", NOON, "123", false},
    {"six digits, no offset", "2024-02-29 12:34:56.123456", NOON, "123456", false},
    {"nine digits, offset", "2024-02-29T12:34:56.123456789+02:00", NOON - 7200, "123456789", false},
    {"thirty digits", "2024-02-29T12:34:56.123456789012345678901234567891Z", NOON,
     "123456789012345678901234567891", false},
    {"zeros after", "2024-02-29T12:34:56.1000Z", NOON, "1", false},
    {"zeros before and after", "2024-02-29T12:34:56.00100Z", NOON, "001", false},
    {"nothing but zeros", "2024-02-29T12:34:56.000Z", NOON, "", false},
    {"second 60", "2016-12-31T23:59:60Z", 1483228800, "", false},
    {"second 60 with a fraction", "2016-12-31T23:59:60.25Z", 1483228800, "25", false},
    {"second 60 at any time", "2024-02-29T12:34:60Z", NOON + 4, "", false},
    {"first second of 1970", "1970-01-01T00:00:00Z", 0, "", false},
    {"last second before", "1969-12-31T23:59:59Z", -1, "", false},
    {"before, with a fraction", "1969-12-31T23:59:59.5Z", -1, "5", false},
    {"last second of a day", "2024-02-29T23:59:59Z", NOON - 45296 + 86399, "", false},
    {"year 0", "0000-01-01", INT64_C(-62167219200), "", true},
    {"end of February of year 0", "0000-02-29", INT64_C(-62167219200) + 59 * 86400, "", true},
    {"last of year 0", "0000-12-31T23:59:59Z", INT64_C(-62135596801), "", false},
    {"first of year 1", "0001-01-01T00:00:00Z", INT64_C(-62135596800), "", false},
    {"last of year 9999", "9999-12-31T23:59:59Z", INT64_C(253402300799), "", false},
    {"after year 9999", "9999-12-31T23:59:60-23:59", INT64_C(253402300800) + 86340, "", false},
    {"leap year by 400", "2000-02-29", 951782400, "", true},

    {"empty", "", 0, NULL, false},
    {"a word", "yesterday", 0, NULL, false},
    {"a number", "1709210096", 0, NULL, false},
    {"year alone", "2024", 0, NULL, false},
    {"year and month", "2024-02", 0, NULL, false},
    {"day of the year", "2024-060", 0, NULL, false},
    {"week", "2024-W09-4", 0, NULL, false},
    {"no hyphens", "20240229", 0, NULL, false},
    {"no hyphens, time", "20240229T123456Z", 0, NULL, false},
    {"slashes", "2024/02/29", 0, NULL, false},
    {"two digits of year", "24-02-29", 0, NULL, false},
    {"three digits of year", "024-02-29", 0, NULL, false},
    {"five digits of year", "12024-02-29", 0, NULL, false},
    {"signed year", "+2024-02-29", 0, NULL, false},
    {"negative year", "-2024-02-29", 0, NULL, false},
    {"one digit of month", "2024-2-29", 0, NULL, false},
    {"one digit of day", "2024-02-9", 0, NULL, false},
    {"three digits of day", "2024-02-029", 0, NULL, false},
    {"day first", "29-02-2024", 0, NULL, false},
    {"month 0", "2024-00-10", 0, NULL, false},
    {"month 13", "2024-13-10", 0, NULL, false},
    {"day 0", "2024-01-00", 0, NULL, false},
    {"day 32", "2024-01-32", 0, NULL, false},
    {"April 31", "2024-04-31", 0, NULL, false},
    {"June 31", "2024-06-31", 0, NULL, false},
    {"September 31", "2024-09-31", 0, NULL, false},
    {"November 31", "2024-11-31", 0, NULL, false},
    {"February 30", "2024-02-30", 0, NULL, false},
    {"February 29, no leap year", "2023-02-29", 0, NULL, false},
    {"February 29, no leap year by 100", "1900-02-29", 0, NULL, false},
    {"T and no more", "2024-02-29T", 0, NULL, false},
    {"a space and no more", "2024-02-29 ", 0, NULL, false},
    {"hour alone", "2024-02-29T12", 0, NULL, false},
    {"hour alone, Z", "2024-02-29T12Z", 0, NULL, false},
    {"hour and colon", "2024-02-29T12:", 0, NULL, false},
    {"one digit of hour", "2024-02-29T2:34:56", 0, NULL, false},
    {"one digit of minute", "2024-02-29T12:4:56", 0, NULL, false},
    {"one digit of second", "2024-02-29T12:34:6", 0, NULL, false},
    {"colon and no second", "2024-02-29T12:34:", 0, NULL, false},
    {"colon and Z", "2024-02-29T12:34:Z", 0, NULL, false},
    {"no colons", "2024-02-29T123456Z", 0, NULL, false},
    {"hour 24", "2024-02-29T24:00:00Z", 0, NULL, false},
    {"minute 60", "2024-02-29T12:60:00Z", 0, NULL, false},
    {"second 61", "2024-02-29T12:34:61Z", 0, NULL, false},
    {"second 99", "2024-02-29T12:34:99Z", 0, NULL, false},
    {"point and no fraction", "2024-02-29T12:34:56.", 0, NULL, false},
    {"point and Z", "2024-02-29T12:34:56.Z", 0, NULL, false},
    {"point and offset", "2024-02-29T12:34:56.+02", 0, NULL, false},
    {"comma", "2024-02-29T12:34:56,5Z", 0, NULL, false},
    {"fraction of a minute", "2024-02-29T12:34.5Z", 0, NULL, false},
    {"two points", "2024-02-29T12:34:56.5.5Z", 0, NULL, false},
    {"fraction with an exponent", "2024-02-29T12:34:56.5e3Z", 0, NULL, false},
    {"negative fraction", "2024-02-29T12:34:56.-5Z", 0, NULL, false},
    {"small t", "2024-02-29t12:34:56Z", 0, NULL, false},
    {"small z", "2024-02-29T12:34:56z", 0, NULL, false},
    {"underscore", "2024-02-29_12:34:56Z", 0, NULL, false},
    {"two spaces", "2024-02-29  12:34:56Z", 0, NULL, false},
    {"T and a space", "2024-02-29T 12:34:56Z", 0, NULL, false},
    {"a tab", "2024-02-29\t12:34:56Z", 0, NULL, false},
    {"blank before", " 2024-02-29T12:34:56Z", 0, NULL, false},
    {"blank after", "2024-02-29T12:34:56Z ", 0, NULL, false},
    {"newline after", "2024-02-29\n", 0, NULL, false},
    {"blank before the offset", "2024-02-29T12:34:56 +02:00", 0, NULL, false},
    {"name of a zone", "2024-02-29T12:34:56 UTC", 0, NULL, false},
    {"zone in brackets", "2024-02-29T12:34:56Z[UTC]", 0, NULL, false},
    {"Z twice", "2024-02-29T12:34:56ZZ", 0, NULL, false},
    {"Z and an offset", "2024-02-29T12:34:56Z+02", 0, NULL, false},
    {"offset and Z", "2024-02-29T12:34:56+02Z", 0, NULL, false},
    {"sign alone", "2024-02-29T12:34:56+", 0, NULL, false},
    {"two signs", "2024-02-29T12:34:56+-02", 0, NULL, false},
    {"one digit of offset", "2024-02-29T12:34:56+2", 0, NULL, false},
    {"three digits of offset", "2024-02-29T12:34:56+020", 0, NULL, false},
    {"five digits of offset", "2024-02-29T12:34:56+02000", 0, NULL, false},
    {"offset with a colon and no minutes", "2024-02-29T12:34:56+02:", 0, NULL, false},
    {"offset with one digit of minutes", "2024-02-29T12:34:56+02:3", 0, NULL, false},
    {"offset with two colons", "2024-02-29T12:34:56+02::30", 0, NULL, false},
    {"offset with seconds", "2024-02-29T12:34:56+02:30:10", 0, NULL, false},
    {"offset of 24 hours", "2024-02-29T12:34:56+24:00", 0, NULL, false},
    {"offset of 60 minutes", "2024-02-29T12:34:56+01:60", 0, NULL, false},
    {"offset after a date", "2024-02-29+02:00", 0, NULL, false},
    {"Z after a date", "2024-02-29Z", 0, NULL, false},
    {"minus sign of typography",
     "2024-02-29T12:34:56\xE2\x88\x92"
     "02",
     0, NULL, false},
    {"digit of another script", "202\xD9\xA4-02-29", 0, NULL, false},
    {"byte below the digits", "2024-02-/9", 0, NULL, false},
    {"byte above the digits", "2024-02-2:", 0, NULL, false},
    {"byte with the top bit", "2024-02-2\xB9", 0, NULL, false},
    {"RFC 5322", "Thu, 29 Feb 2024 12:34:56 +0000", 0, NULL, false},
};

/* Parse a copy in a block of its exact size: a sanitizer sees every byte read after it. */
static bool parse(const char *text, size_t len, char **ret_block, struct rt_instant *ret_instant)
{
	*ret_block = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(*ret_block);
	memcpy(*ret_block, text, len);
	return rt_instant_parse(rt_slice_make(*ret_block, len), ret_instant);
}

START_TEST(table)
{
	const char *text = rows[_i].text, *fraction = rows[_i].fraction;
	struct rt_instant instant = {-7, {"x", 1}};
	char *block;
	bool good = parse(text, strlen(text), &block, &instant);

	ck_assert_msg(good == (fraction != NULL), "%s: %s", rows[_i].what, text);
	if (good) {
		ck_assert_msg(instant.seconds == rows[_i].seconds, "%s: %s is %lld", rows[_i].what,
			      text, (long long)instant.seconds);
		ck_assert_msg(instant.fraction.len == strlen(fraction) &&
				  memcmp(instant.fraction.ptr, fraction, strlen(fraction)) == 0,
			      "%s: %s has a fraction of %zu digits", rows[_i].what, text,
			      instant.fraction.len);
	} else {
		ck_assert_msg(instant.seconds == -7 && instant.fraction.len == 1, "%s: written",
			      rows[_i].what);
	}
	ck_assert_msg(rt_instant_is_date_time(rt_slice_make(block, strlen(text))) ==
			  (good && !rows[_i].date_only),
		      "%s: %s as a full date-time", rows[_i].what, text);
	free(block);
}
END_TEST

/* A text that ends anywhere is a date-time only where one of its parts ends. */
START_TEST(cuts)
{
	static const char text[] = "2024-02-29T12:34:56.789+05:30";

	for (size_t len = 0; len < sizeof(text); len++) {
		struct rt_instant instant;
		char *block;
		bool is = parse(text, len, &block, &instant);

		free(block);
		ck_assert_msg(is == (len == 10 || len == 16 || len == 19 ||
				     (len >= 21 && len <= 23) || len == 26 || len == 29),
			      "%.*s", (int)len, text);
	}
}
END_TEST

/* A text ends with its length, not with a NUL. */
START_TEST(embedded_nul)
{
	struct rt_instant instant;

	ck_assert(!rt_instant_parse(RT_SLICE("2024-02-29\0"), &instant));
	ck_assert(!rt_instant_parse(RT_SLICE("2024-02-29T12:34:56Z\0"), &instant));
	ck_assert(!rt_instant_parse(RT_SLICE("2024-02-29T12:34\0:56Z"), &instant));
}
END_TEST

/* Every day of a century, at a time that changes from day to day. */
START_TEST(as_timegm)
{
	static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	for (int n = 0; n < 100 * 12 * 33; n++) {
		int year = _i * 100 + n / (12 * 33), month = n / 33 % 12, day = n % 33;
		struct tm tm = {.tm_year = year - 1900,
				.tm_mon = month,
				.tm_mday = day,
				.tm_hour = n % 24,
				.tm_min = n % 59,
				.tm_sec = n % 61};
		int hour = tm.tm_hour, minute = tm.tm_min, second = tm.tm_sec;
		int64_t expected = (int64_t)timegm(&tm);
		struct rt_instant instant;
		bool exists = day >= 1 && day <= month_days[month];
		char text[64];
		int len;

		/* timegm() carries days that are none over, and so a 60th second. */
		if (month == 1 && day == 29)
			exists = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
		len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d", year, month + 1,
			       day, hour, minute, second);
		if (rt_instant_parse(rt_slice_make(text, (size_t)len), &instant) != exists)
			ck_abort_msg("%s: %s", text, exists ? "refused" : "taken");
		if (exists && instant.seconds != expected)
			ck_abort_msg("%s: %lld", text, (long long)instant.seconds);
	}
}
END_TEST

/* In order; those with the same number are the same instant. */
static const struct {
	int rank;
	const char *text;
} ordered[] = {
    {0, "1969-12-31T23:59:59.9Z"},
    {1, "1970-01-01"},
    {1, "1970-01-01T00:00:00.000Z"},
    {1, "1970-01-01T02:00+02"},
    {1, "1969-12-31T23:59:60Z"},
    {2, "1970-01-01T00:00:00.00000000000000000000000000000000001Z"},
    {3, "1970-01-01T00:00:00.09Z"},
    {4, "1970-01-01T00:00:00.1Z"},
    {4, "1970-01-01T00:00:00.10Z"},
    {4, "1970-01-01T00:00:00.1000000000000000000000000000000000Z"},
    {5, "1970-01-01T00:00:00.1000000000000000000000000000000001Z"},
    {6, "1970-01-01T00:00:00.9Z"},
    {7, "1970-01-01T00:00:00.99Z"},
    {8, "1970-01-01T00:00:01Z"},
    {9, "2024-01-01T00:00:00+01:00"},
    {10, "2024-01-01T00:00:00Z"},
    {10, "2023-12-31 19:00:00-0500"},
    {11, "2024-01-01T00:00:00-01:00"},
};

START_TEST(order)
{
	size_t count = sizeof(ordered) / sizeof(ordered[0]);

	for (size_t i = 0; i < count * count; i++) {
		const char *left = ordered[i / count].text, *right = ordered[i % count].text;
		int expected = ordered[i / count].rank - ordered[i % count].rank;
		struct rt_instant a, b;
		int got;

		ck_assert(rt_instant_parse(rt_slice_make(left, strlen(left)), &a));
		ck_assert(rt_instant_parse(rt_slice_make(right, strlen(right)), &b));
		got = rt_instant_compare(&a, &b);
		ck_assert_msg((got > 0) == (expected > 0) && (got < 0) == (expected < 0),
			      "%s and %s: %d", left, right, got);
	}
}
END_TEST

static const struct {
	const char *what;
	int64_t seconds;
	const char *text; /* NULL: its year cannot be written */
} written[] = {
    {"the first second of 1970", 0, "1970-01-01T00:00:00Z"},
    {"one before", -1, "1969-12-31T23:59:59Z"},
    {"a leap day", NOON, "2024-02-29T12:34:56Z"},
    {"the day after it", NOON + 86400, "2024-03-01T12:34:56Z"},
    {"a leap year by 400", INT64_C(951782400), "2000-02-29T00:00:00Z"},
    {"no leap year by 100", INT64_C(4107542400), "2100-03-01T00:00:00Z"},
    {"the last second of a year", INT64_C(1483228799), "2016-12-31T23:59:59Z"},
    {"beyond 32 bits", INT64_C(4294967296), "2106-02-07T06:28:16Z"},
    {"the last that can be", INT64_C(253402300799), "9999-12-31T23:59:59Z"},
    {"one after it", INT64_C(253402300800), NULL},
    {"the first that can be", INT64_C(-62167219200), "0000-01-01T00:00:00Z"},
    {"one before it", INT64_C(-62167219201), NULL},
    {"the end of year 0", INT64_C(-62135596801), "0000-12-31T23:59:59Z"},
    {"the leap day of year 0", INT64_C(-62162121600), "0000-02-29T00:00:00Z"},
    {"the largest number", INT64_MAX, NULL},
    {"the smallest number", INT64_MIN, NULL},
};

/* Days before 1970-01-11; -1: it is something else. */
static const struct {
	const char *text;
	int64_t seconds;
} ago[] = {
    {"-0d", 864000},
    {"-1d", 777600},
    {"-10d", 0},
    {"-010d", 0},
    {"-4000000d", -345599136000},
    {"-4000001d", -1},
    {"-d", -1},
    {"1d", -1},
    {"-1", -1},
    {"-1h", -1},
    {"-99999999999d", -1},
    {"--1d", -1},
    {"-1dd", -1},
    {"", -1},
    {"-1.5d", -1},
};

START_TEST(days_ago)
{
	const char *text = ago[_i].text;
	int64_t seconds = -1;

	ck_assert_int_eq(rt_instant_days_ago(rt_slice_make(text, strlen(text)), 864000, &seconds),
			 ago[_i].seconds != -1);
	ck_assert_int_eq(seconds, ago[_i].seconds);
}
END_TEST

/* In a zone that counts leap seconds, too. */
START_TEST(format)
{
	char text[RT_INSTANT_CHARS + 1] = "???????????????????\x7f";
	bool good =
	    setenv("TZ", "right/UTC", 1) == 0 && rt_instant_format(written[_i].seconds, text);
	const char *want = written[_i].text ? written[_i].text : "???????????????????\x7f";

	ck_assert_msg(good == (written[_i].text != NULL), "%s", written[_i].what);
	ck_assert_msg(strcmp(text, want) == 0, "%s: %s", written[_i].what, text);
}
END_TEST

/* What is written is read back, on every day of a century and at every time of a day. */
START_TEST(format_and_back)
{
	int64_t first = INT64_C(-62167219200) + _i * INT64_C(36525) * 86400;

	for (int64_t day = 0; day < 36525; day++) {
		int64_t seconds = first + day * 86400 + day * 7919 % 86400;
		struct rt_instant instant = {0};
		char text[RT_INSTANT_CHARS];
		bool fits = seconds < INT64_C(253402300800);

		ck_assert(rt_instant_format(seconds, text) == fits);
		if (!fits)
			continue;
		ck_assert(rt_instant_parse(rt_slice_make(text, sizeof(text)), &instant));
		if (instant.seconds != seconds || instant.fraction.len)
			ck_abort_msg("%lld: %.20s", (long long)seconds, text);
	}
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("instant");
	TCase *tcase = tcase_create("instant");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, table, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, cuts);
	tcase_add_test(tcase, embedded_nul);
	tcase_add_loop_test(tcase, as_timegm, 0, 100);
	tcase_add_test(tcase, order);
	tcase_add_loop_test(tcase, days_ago, 0, sizeof(ago) / sizeof(ago[0]));
	tcase_add_loop_test(tcase, format, 0, sizeof(written) / sizeof(written[0]));
	tcase_add_loop_test(tcase, format_and_back, 0, 100);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
