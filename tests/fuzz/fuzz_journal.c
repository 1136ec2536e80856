/*
 * Any bytes as a journal: read to its end as they are, and again with hashes and chain made right,
 * so that what stands after them is reached. What is said of a line must be in order, and every
 * line that is taken must come out the same when it is written anew and read again. A journal that
 * is right must be so as well where it is cut, whatever is left of its last line; and it is damaged
 * with any byte but a line end after its last line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "journal/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
	if (!right)
		abort();
}

static bool same(struct rt_slice a, struct rt_slice b)
{
	return !a.ptr == !b.ptr && rt_slice_equal(a, b);
}

static bool same_request(const struct rt_request *a, const struct rt_request *b)
{
	if (a->id_count != b->id_count)
		return false;
	for (unsigned i = 0; i < a->id_count; i++) {
		if (!same(a->ids[i], b->ids[i]))
			return false;
	}
	return a->severity == b->severity && a->false_positive == b->false_positive &&
	       a->exploitable == b->exploitable && same(a->notes, b->notes);
}

static struct rt_journal_form *form_make(void)
{
	struct rt_journal_form *form = rt_scan_alloc(sizeof(*form));
	struct rt_limits limits;

	must(form != NULL);
	rt_limits_init(&limits);
	rt_journal_form_init(form, &limits);
	return form;
}

/* What reading bytes as a journal has given. */
struct outcome {
	enum rt_status status; /* RT_END: to the end */
	uint64_t entries, torn;
	bool unended;
};

/* Let a form read a line that another one has made. */
static struct rt_slice made_line(struct rt_journal_form *form, struct rt_buf *line)
{
	struct rt_error err;

	must(line->len > 0 && line->data[line->len - 1] == '\n');
	must(rt_buf_reserve(line, RT_PADDING, &err) == RT_OK);
	memset(line->data + line->len, 0, RT_PADDING);
	form->text_end = line->data + line->len;
	return rt_slice_make(line->data, line->len - 1);
}

/* What the journal's own reader takes for a request, the rules and jansson take for the same. */
static void request_again(const struct rt_request *request)
{
	struct rt_request_walk walk = {0};
	struct rt_buf text = {0};
	struct rt_error err;

	must(rt_request_write(request, &text, &err) == RT_OK);
	must(rt_request_parse(&walk, rt_buf_slice(&text), &err) == RT_OK);
	must(same_request(&walk.request, request));
	rt_tree_release(&walk.tree);
	rt_buf_release(&text);
}

/* before: the head that the entry follows on. */
static void entry_again(struct rt_journal_form *form, const struct rt_journal_entry *entry,
			const struct rt_journal_head *before)
{
	static struct rt_journal_entry again;
	struct rt_journal_head written = *before, read = *before;
	struct rt_buf line = {0};
	struct rt_error err;

	must(rt_journal_form_write_entry(form, entry, &line, &written, &err) == RT_OK);
	must(rt_journal_form_read_entry(form, made_line(form, &line), &read, &again, &err) ==
	     RT_OK);
	must(memcmp(&written, &read, sizeof(read)) == 0 && read.seq == entry->seq);
	must(same(again.at, entry->at) && same(again.actor, entry->actor));
	must(same_request(&again.request, &entry->request));
	must(again.updated_count == entry->updated_count &&
	     again.failed_count == entry->failed_count);
	must(memcmp(again.result_sha256, entry->result_sha256, RT_SHA256_BYTES) == 0);
	must(form->version < 2 ||
	     memcmp(again.notes_sha256, entry->notes_sha256, RT_SHA256_BYTES) == 0);
	rt_buf_release(&line);
}

static void header_again(struct rt_journal_form *form, const struct rt_journal_base *base)
{
	uint8_t written[RT_SHA256_BYTES], read[RT_SHA256_BYTES];
	struct rt_journal_base again;
	struct rt_buf line = {0};
	struct rt_error err;

	must(rt_journal_form_write_header(form, base, &line, written, &err) == RT_OK);
	must(rt_journal_form_read_header(form, made_line(form, &line), &again, read, &err) ==
	     RT_OK);
	must(memcmp(written, read, sizeof(read)) == 0);
	must(same(again.name, base->name) && same(again.created_at, base->created_at));
	must(again.version == base->version && same(again.options, base->options));
	must(again.issues == base->issues &&
	     memcmp(again.sha256, base->sha256, RT_SHA256_BYTES) == 0);
	rt_buf_release(&line);
}

/* An error says where it is, and its place is in the file. */
static void check_error(enum rt_status status, const struct rt_error *err, size_t size,
			uint64_t line)
{
	char text[RT_ERROR_LINE_MAX];

	/* A file of another kind has no place in it. */
	if (status == RT_REJECT && err->code == RT_E_USAGE) {
		must(line == 1 && !err->line && err->message[0] && err->path[0]);
		return;
	}
	must(status == RT_REJECT && (err->code == RT_E_INPUT || err->code == RT_E_LIMIT));
	must(err->line == line && err->column > 0 && err->offset <= size);
	must(err->record[0] && err->message[0] && err->path[0]);
	(void)rt_error_format(err, text, sizeof(text));
}

static struct outcome read_entries(struct rt_journal *j, const uint8_t *data, size_t size)
{
	static struct rt_journal_entry entry;
	struct rt_journal_form *form = form_make();
	struct rt_journal_head head = rt_journal_head(j);
	enum rt_status status;
	struct rt_error err;
	size_t at = 0;

	header_again(form, rt_journal_base(j));
	while ((status = rt_journal_next(j, &entry, &err)) == RT_OK) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);

		must(newline != NULL);
		at = (size_t)(newline - data) + 1;
		must(entry.line.len <= size - at &&
		     memcmp(entry.line.ptr, data + at, entry.line.len) == 0);
		entry_again(form, &entry, &head);
		request_again(&entry.request);
		must(rt_journal_head(j).seq == head.seq + 1 && entry.seq == head.seq + 1);
		head = rt_journal_head(j);
	}
	if (status == RT_END) {
		must(rt_journal_torn(j) <= size &&
		     !memchr(data + size - rt_journal_torn(j), '\n', (size_t)rt_journal_torn(j)));
		must(!rt_journal_unended(j) || (rt_journal_torn(j) == 0 && data[size - 1] == '}'));
	} else {
		check_error(status, &err, size, head.seq + 2);
	}
	rt_journal_form_release(form);
	free(form);
	return (struct outcome){status, head.seq, rt_journal_torn(j), rt_journal_unended(j)};
}

static struct outcome read_journal(const uint8_t *data, size_t size)
{
	struct outcome outcome;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct rt_journal *j = NULL;
	struct rt_limits limits;
	enum rt_status status;
	struct rt_error err;
	char path[64];

	must(fd >= 0 && (size == 0 || write(fd, data, size) == (ssize_t)size));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rt_limits_init(&limits);
	status = rt_journal_open(path, RT_JOURNAL_READ, &limits, 0, NULL, NULL, &j, &err);
	outcome = (struct outcome){.status = status};
	if (status == RT_OK)
		outcome = read_entries(j, data, size);
	else
		check_error(status, &err, size, 1);
	rt_journal_free(j);
	(void)close(fd);
	return outcome;
}

/* Cut a journal that is right somewhere, and put a byte after it. */
static void cut_journal(struct rt_buf *whole, const uint8_t *data, size_t size)
{
	size_t at = size > 1 ? (size_t)(data[0] * 256u + data[1]) * whole->len / 65536 : 0;
	const char *newline = memrchr(whole->data, '\n', at);
	size_t start = newline ? (size_t)(newline - whole->data) + 1 : 0;
	bool unended = at > start && whole->data[at] == '\n';
	struct outcome cut = read_journal((const uint8_t *)whole->data, at);
	char end = whole->data[whole->len - 1];

	must((start == 0 && !unended) || cut.status == RT_END);
	must(cut.status != RT_END ||
	     (cut.unended == unended && cut.torn == (unended ? 0 : at - start)));
	whole->data[whole->len - 1] = size && data[0] != '\n' ? (char)data[0] : ' ';
	must(read_journal((const uint8_t *)whole->data, whole->len).status == RT_REJECT);
	whole->data[whole->len - 1] = end;
}

static void append(struct rt_buf *out, const void *data, size_t len)
{
	struct rt_error err;

	must(rt_buf_append(out, data, len, &err) == RT_OK);
}

/* Give a line that follows on prev (NULL: line 1) the end that it should have. */
static void mend_line(struct rt_slice body, const char *prev, char *ret_hex, struct rt_buf *out)
{
	uint8_t digest[RT_SHA256_BYTES];
	size_t start = out->len;
	struct rt_error err;

	must(rt_buf_reserve(out, body.len + 1, &err) == RT_OK);
	append(out, body.ptr, body.len);
	if (prev) {
		append(out, RT_JOURNAL_PREV_OPEN, sizeof(RT_JOURNAL_PREV_OPEN) - 1);
		append(out, prev, RT_SHA256_HEX);
		append(out, "\"", 1);
	}
	rt_sha256_of(rt_slice_make(out->data + start, out->len - start), digest);
	rt_sha256_hex(digest, ret_hex);
	append(out, RT_JOURNAL_HASH_OPEN, sizeof(RT_JOURNAL_HASH_OPEN) - 1);
	append(out, ret_hex, RT_SHA256_HEX);
	append(out, RT_JOURNAL_HASH_CLOSE "\n", sizeof(RT_JOURNAL_HASH_CLOSE));
}

/* The part of a line that is before its own prev or hash, if it has them. */
static struct rt_slice line_body(struct rt_slice line)
{
	static const char *const marks[] = {RT_JOURNAL_PREV_OPEN, RT_JOURNAL_HASH_OPEN};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = memmem(line.ptr, line.len, marks[i], strlen(marks[i]));

		if (mark)
			line.len = (size_t)(mark - line.ptr);
	}
	return line;
}

static void mend(const uint8_t *data, size_t size, struct rt_buf *out)
{
	char prev[RT_SHA256_HEX], next[RT_SHA256_HEX];

	for (size_t at = 0; at < size;) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		size_t len = newline ? (size_t)(newline - data) - at : size - at;
		struct rt_slice line = rt_slice_make((const char *)data + at, len);

		mend_line(line_body(line), at ? prev : NULL, next, out);
		memcpy(prev, next, sizeof(prev));
		at += len + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_buf mended = {0};

	(void)read_journal(data, size);
	mend(data, size, &mended);
	if (read_journal((const uint8_t *)mended.data, mended.len).status == RT_END && mended.len)
		cut_journal(&mended, data, size);
	rt_buf_release(&mended);
	return 0;
}
