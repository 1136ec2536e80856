/*
 * Makes and reads journals for tests. Input: numbers of entries. Output: files in a folder under
 * /tmp, and what reading them gives.
 */
#include "journal_make.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char dir[64];
char journal_notices[8192];

void journal_dir_make(void)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/retriage-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

void journal_dir_remove(void)
{
	DIR *listing = opendir(dir);

	ck_assert_ptr_nonnull(listing);
	for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			ck_assert_int_eq(remove(journal_path(entry->d_name)), 0);
	}
	ck_assert_int_eq(closedir(listing), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

const char *journal_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

bool journal_exists(const char *name)
{
	struct stat st;

	return lstat(journal_path(name), &st) == 0;
}

struct rt_buf journal_bytes(const char *name)
{
	int fd = open(journal_path(name), O_RDONLY | O_CLOEXEC);
	struct rt_buf buf = {0};
	struct rt_error err;
	struct stat st;
	ssize_t got;

	ck_assert_msg(fd >= 0 && fstat(fd, &st) == 0, "%s", name);
	ck_assert_int_eq(rt_buf_reserve(&buf, (size_t)st.st_size + 1, &err), RT_OK);
	while ((got = read(fd, buf.data + buf.len, buf.cap - buf.len)) > 0)
		buf.len += (size_t)got;
	ck_assert_uint_eq(buf.len, (size_t)st.st_size);
	(void)close(fd);
	return buf;
}

void journal_put(const char *name, const void *data, size_t len)
{
	int fd = open(journal_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const char *bytes = data;

	ck_assert_int_ge(fd, 0);
	while (len) {
		ssize_t done = write(fd, bytes, len);

		ck_assert_int_gt(done, 0);
		bytes += done;
		len -= (size_t)done;
	}
	ck_assert_int_eq(close(fd), 0);
}

static void on_notice(void *ctx, const char *text)
{
	size_t used = strlen(journal_notices);

	(void)ctx;
	(void)snprintf(journal_notices + used, sizeof(journal_notices) - used, "%s\n", text);
}

enum rt_status journal_open(const char *name, enum rt_journal_mode mode, unsigned wait_ms,
			    struct rt_journal **ret_journal, struct rt_error *err)
{
	static struct rt_limits limits;

	rt_limits_init(&limits);
	memset(err, 0, sizeof(*err));
	journal_notices[0] = '\0';
	return rt_journal_open(journal_path(name), mode, &limits, wait_ms, on_notice, NULL,
			       ret_journal, err);
}

struct rt_journal_base journal_base(void)
{
	struct rt_journal_base base = {
	    .name = RT_SLICE("base \"export\".json"),
	    .issues = 1234,
	    .created_at = RT_SLICE(JOURNAL_TIME),
	};

	for (unsigned i = 0; i < RT_SHA256_BYTES; i++)
		base.sha256[i] = (uint8_t)(255 - 3 * i);
	return base;
}

const struct rt_journal_entry *journal_entry(uint64_t n)
{
	static struct rt_journal_entry entry;
	static char at[sizeof(JOURNAL_TIME)], ids[3][40];
	struct rt_request *request = &entry.request;

	memset(&entry, 0, sizeof(entry));
	entry.seq = n;
	(void)snprintf(at, sizeof(at), "2025-01-02T03:%02u:%02uZ", (unsigned)(n / 60 % 60),
		       (unsigned)(n % 60));
	entry.at = rt_slice_make(at, sizeof(at) - 1);
	if (n % 3 == 1)
		entry.actor = RT_SLICE("jane");
	else if (n % 3 == 2)
		entry.actor = RT_SLICE("J\xC3\xB6rg \"\xE2\x82\xAC\"\n\x01");
	request->id_count = 1 + (unsigned)(n % 3);
	for (unsigned i = 0; i < request->id_count; i++) {
		int len =
		    snprintf(ids[i], sizeof(ids[i]), i ? "id-%u-%u" : "\"%u\\\t%u", (unsigned)n, i);

		request->ids[i] = rt_slice_make(ids[i], (size_t)len);
	}
	request->severity = n % 2 ? (int)(n / 2 % 5) : RT_REQUEST_KEEP;
	request->false_positive = n % 4 ? (int)(n % 2) : RT_REQUEST_KEEP;
	request->exploitable = n % 5 ? (int)(n % 3 == 0) : RT_REQUEST_KEEP;
	if (n % 7 == 0)
		request->notes = RT_SLICE("");
	else if (n % 2 == 0)
		request->notes = RT_SLICE("a note,\nof \"two\" lines {[ \\");
	entry.updated_count = n % 3 ? 1 : 0;
	entry.failed_count = request->id_count - entry.updated_count;
	for (unsigned i = 0; i < RT_SHA256_BYTES; i++)
		entry.result_sha256[i] = (uint8_t)(n * 11 + i * 17);
	for (unsigned i = 0; i < RT_SHA256_BYTES; i++)
		entry.notes_sha256[i] = (uint8_t)(n * 5 + i * 3);
	return &entry;
}

static bool same(struct rt_slice a, struct rt_slice b)
{
	return !a.ptr == !b.ptr && rt_slice_equal(a, b);
}

bool journal_entry_equal(const struct rt_journal_entry *have, uint64_t n)
{
	const struct rt_journal_entry *want = journal_entry(n);

	if (have->request.id_count != want->request.id_count)
		return false;
	for (unsigned i = 0; i < want->request.id_count; i++) {
		if (!same(have->request.ids[i], want->request.ids[i]))
			return false;
	}
	return have->seq == want->seq && same(have->at, want->at) &&
	       same(have->actor, want->actor) && same(have->request.notes, want->request.notes) &&
	       have->request.severity == want->request.severity &&
	       have->request.false_positive == want->request.false_positive &&
	       have->request.exploitable == want->request.exploitable &&
	       have->updated_count == want->updated_count &&
	       have->failed_count == want->failed_count &&
	       memcmp(have->result_sha256, want->result_sha256, RT_SHA256_BYTES) == 0 &&
	       memcmp(have->notes_sha256, want->notes_sha256, RT_SHA256_BYTES) == 0;
}

void journal_extend(uint64_t count)
{
	struct rt_journal_base base = journal_base();
	static struct rt_journal_entry entry;
	struct rt_journal *j = NULL;
	struct rt_error err;
	uint64_t seq;

	ck_assert_msg(journal_open("j", RT_JOURNAL_APPEND, 60000, &j, &err) == RT_OK, "%s",
		      err.message);
	while (rt_journal_next(j, &entry, &err) == RT_OK)
		;
	if (!rt_journal_base(j))
		ck_assert_int_eq(rt_journal_begin(j, &base, &err), RT_OK);
	seq = rt_journal_head(j).seq;
	for (uint64_t i = 1; i <= count; i++)
		ck_assert_int_eq(rt_journal_add(j, journal_entry(seq + i), &err), RT_OK);
	ck_assert_uint_eq(rt_journal_head(j).seq, seq);
	ck_assert_msg(rt_journal_commit(j, &err) == RT_OK, "%s", err.message);
	ck_assert_uint_eq(rt_journal_head(j).seq, seq + count);
	rt_journal_free(j);
}

struct journal_result journal_read(const char *name, enum rt_journal_mode mode)
{
	struct journal_result result = {.status = RT_OK};
	static struct rt_journal_entry entry;
	struct rt_journal *j = NULL;

	result.status = journal_open(name, mode, 0, &j, &result.err);
	if (result.status != RT_OK)
		return result;
	result.has_base = rt_journal_base(j) != NULL;
	while ((result.status = rt_journal_next(j, &entry, &result.err)) == RT_OK) {
		result.entries++;
		ck_assert_msg(journal_entry_equal(&entry, result.entries), "entry %u",
			      (unsigned)result.entries);
		ck_assert_ptr_nonnull(entry.line.ptr);
	}
	if (result.status == RT_END) {
		result.status = RT_OK;
		ck_assert_int_eq(rt_journal_next(j, &entry, &result.err), RT_END);
	} else {
		struct rt_error again;

		ck_assert_int_eq(rt_journal_next(j, &entry, &again), RT_FATAL);
	}
	result.torn = rt_journal_torn(j);
	result.unended = rt_journal_unended(j);
	result.head = rt_journal_head(j);
	ck_assert_uint_eq(result.head.seq, result.entries);
	rt_journal_free(j);
	return result;
}

size_t journal_lines(const struct rt_buf *bytes, size_t *starts, size_t cap)
{
	size_t count = 0;

	starts[0] = 0;
	for (size_t at = 0; at < bytes->len; at++) {
		if (bytes->data[at] != '\n')
			continue;
		ck_assert_uint_lt(count + 1, cap);
		starts[++count] = at + 1;
	}
	return count;
}
