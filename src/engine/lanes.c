/*
 * Several readers of one file of JSON, each in a thread; see lanes.h.
 */
#include "engine/lanes.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pairs.h"
#include "formats/reader.h"
#include "sarif/sarif.h"
#include "source/decode.h"

/* Bytes from which on a thread is worth its start: some milliseconds of reading. */
#define LANE_BYTES (4 * RT_MIB)
/* Lanes that are used without being asked for. */
#define LANES_USUAL 16u
/* Bytes that are looked at to tell a SARIF log, which is read in one piece. */
#define HEAD_BYTES (64 * RT_KIB)

/* Shares of the ids that are held against each other at once, in memory that is near. */
#define ID_SHARES 16u

struct lane {
	struct rt_lanes *all;
	pthread_t thread; /* of all but the first */
	bool has_thread;
	struct rt_options options; /* with progress of its own */
	struct rt_reader *reader;
	const struct rt_record *first; /* of lane 0: the record that has been read already */
	struct rt_spot start;
	struct rt_buf ids; /* a hash of 8 bytes each */
	void *share;       /* what it gathers */
	size_t next;       /* the lane whose start comes next */
	bool done;         /* it has come to that start, or to the end */
};

struct rt_lanes {
	const struct rt_options *options;
	struct rt_lane_work work;
	struct rt_siphash_key key;
	struct lane *lanes; /* by their starts */
	size_t count;
	struct lane **chain; /* those that have started right */
	size_t used;
	uint64_t size;                    /* bytes of the file */
	void (*piece)(struct lane *lane); /* what each lane is doing */
	atomic_bool stop;
};

/* --- Whether and how many --------------------------------------------------------------------- */

/* Whether a file's first bytes are those of JSON that may be read from the middle on. */
static bool judge_head(const char *head, size_t len)
{
	size_t at = len >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (at < len && strchr(" \t\r\n", head[at]) && head[at])
		at++;
	if (at == len || (head[at] != '[' && head[at] != '{'))
		return false;
	return head[at] == '[' ||
	       rt_sarif_look(rt_slice_make(head + at, len - at), len < HEAD_BYTES) == RT_SARIF_NO;
}

static bool look_at_head(int fd)
{
	char *bytes = malloc(HEAD_BYTES);
	ssize_t len = bytes ? rt_read_at(fd, bytes, HEAD_BYTES, 0) : -1;
	bool is_json = len > 0 && judge_head(bytes, (size_t)len);

	free(bytes);
	return is_json;
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* How many lanes are worth their start for the file. */
static size_t lanes_worth(const struct rt_options *options, uint64_t bytes)
{
	size_t most = processors();

	if (options->threads)
		return options->threads;
	if (most > LANES_USUAL)
		most = LANES_USUAL;
	return bytes / LANE_BYTES < most ? (size_t)(bytes / LANE_BYTES) : most;
}

/* The number of lanes for the data set; 0: it is not for lanes. */
static size_t lanes_wanted(struct rt_lanes *all)
{
	const struct rt_options *options = all->options;
	size_t wanted = 0;
	struct stat st;
	int fd;

	if (options->journal || options->baseline || options->duplicates != RT_DUPLICATES_REFUSE ||
	    options->path_count != 1 || strcmp(options->paths[0], "-") == 0)
		return 0;
	fd = open(options->paths[0], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		all->size = (uint64_t)st.st_size;
		wanted = lanes_worth(options, all->size);
		if (wanted && !look_at_head(fd))
			wanted = 0;
	}
	(void)close(fd);
	return wanted;
}

/* --- One lane --------------------------------------------------------------------------------- */

/* Progress of the first lane is told, as that of all: they read at the same pace. total: of its own
 * files. */
static void lane_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct rt_lanes *all = ctx;
	uint64_t sum = done * (all->count ? all->count : 1);

	(void)total;
	all->options->progress(all->options->progress_ctx, sum < all->size ? sum : all->size,
			       all->size);
}

/* Open a lane and read the first record, which decides where it stands. */
static bool lane_begin(struct rt_lanes *all, struct lane *lane)
{
	struct rt_error err;

	lane->options = *all->options;
	lane->options.notice = NULL;
	if (lane == all->lanes && all->options->progress)
		lane->options.progress = lane_progress;
	else
		lane->options.progress = NULL;
	lane->options.progress_ctx = all;
	return all->work.begin(all->work.ctx, &all->key, &lane->share, &err) == RT_OK &&
	       rt_reader_open(&lane->options, RT_KIND_ANY, &lane->reader, &err) == RT_OK &&
	       rt_reader_next(lane->reader, &lane->first, &err) == RT_OK;
}

static void lane_release(struct lane *lane)
{
	rt_reader_free(lane->reader);
	rt_buf_release(&lane->ids);
	if (lane->share)
		lane->all->work.free(lane->share);
}

/* Take a record in. Returns false where there is something to tell. */
static bool lane_take(struct lane *lane, const struct rt_record *record)
{
	uint64_t hash = rt_siphash_id(&lane->all->key, record->kind, record->id).low;
	struct rt_error err;

	return rt_buf_append(&lane->ids, &hash, sizeof(hash), &err) == RT_OK &&
	       lane->all->work.take(lane->share, record, &err) == RT_OK;
}

/* Whether the lane has come to the start of another one, which is right, then. */
static bool lane_meets(struct lane *lane)
{
	const struct rt_lanes *all = lane->all;
	uint64_t offset = rt_cursor_here(&lane->reader->view.cursor).offset;
	struct rt_spot spot;

	for (; lane->next < all->count; lane->next++) {
		const struct rt_spot *start = &all->lanes[lane->next].start;

		if (offset < start->offset)
			return false;
		if (offset > start->offset)
			continue;
		rt_reader_spot(lane->reader, &spot);
		if (rt_spot_alike(&spot, start))
			return true;
	}
	return false;
}

/* Read to the start of another lane, or to the end. */
static bool lane_read(struct lane *lane)
{
	const struct rt_record *record = lane->first;
	enum rt_status status = RT_OK;
	struct rt_error err;

	if (!record)
		status = rt_reader_next(lane->reader, &record, &err);
	while (status == RT_OK) {
		if (!lane_take(lane, record))
			return false;
		if (lane_meets(lane))
			return true;
		if (atomic_load_explicit(&lane->all->stop, memory_order_relaxed))
			return false;
		status = rt_reader_next(lane->reader, &record, &err);
	}
	/* What starts after the end of the document does not start right. */
	lane->next = lane->all->count;
	return status == RT_END;
}

static void lane_run(struct lane *lane)
{
	lane->done = lane_read(lane);
	/* Nobody knows yet whether other lanes have started where records are. */
	if (!lane->done && lane == lane->all->lanes)
		atomic_store_explicit(&lane->all->stop, true, memory_order_relaxed);
}

/* --- All lanes -------------------------------------------------------------------------------- */

/* Open up to `wanted` lanes and guess where they start. Returns whether there is a first one. */
static bool open_lanes(struct rt_lanes *all, size_t wanted)
{
	struct rt_error err;

	/* What has been opened is to be released, whatever comes of it. */
	all->count = 1;
	if (!lane_begin(all, all->lanes))
		return false;
	all->lanes->next = 1;
	for (size_t i = 1; i < wanted; i++) {
		struct lane *lane = &all->lanes[all->count];
		uint64_t before = lane[-1].start.offset;

		bool open = lane_begin(all, lane);

		lane->first = NULL;
		if (open &&
		    rt_reader_guess(lane->reader, all->size / wanted * i, &lane->start, &err) ==
			RT_OK &&
		    lane->start.offset > before) {
			lane->next = ++all->count;
			continue;
		}
		lane_release(lane);
		*lane = (struct lane){.all = all};
	}
	return true;
}

/* In the thread of a lane: what it is to do. */
static void *lane_main(void *ctx)
{
	struct lane *lane = ctx;

	lane->all->piece(lane);
	return NULL;
}

/* Have each lane do a piece of work, the first one in this thread. */
static bool run_lanes(struct rt_lanes *all, void (*piece)(struct lane *lane))
{
	bool started = true;

	all->piece = piece;
	for (size_t i = 1; i < all->count; i++) {
		struct lane *lane = &all->lanes[i];

		lane->has_thread = pthread_create(&lane->thread, NULL, lane_main, lane) == 0;
		started = started && lane->has_thread;
	}
	piece(all->lanes);
	for (size_t i = 1; i < all->count; i++) {
		if (all->lanes[i].has_thread)
			(void)pthread_join(all->lanes[i].thread, NULL);
	}
	return started;
}

/* Find the lanes that follow from the first one; the others have started wrong. */
static bool find_chain(struct rt_lanes *all)
{
	const struct rt_reader *first = all->lanes->reader;

	/* Where there is anything to tell, one reader tells it. */
	if (rt_parts_unread(first->view.parts)->count || first->view.warnings.count)
		return false;
	for (size_t at = 0; at < all->count;) {
		struct lane *lane = &all->lanes[at];

		if (!lane->done ||
		    rt_parts_stamp(lane->reader->view.parts) != rt_parts_stamp(first->view.parts))
			return false;
		all->chain[all->used++] = lane;
		at = lane->next;
	}
	return true;
}

/*
 * Whether each id of a share occurs once in all lanes. Two different ones have the same hash with a
 * chance of 1 in 300,000 at ten million ids; then one reader reads again and sees.
 */
static bool stand_once(const struct rt_lanes *all, size_t share)
{
	struct rt_pair *hashes;
	size_t room = 1, count = 0;
	bool once = true;

	for (size_t i = 0; i < all->used; i++) {
		const uint64_t *at = (const void *)all->chain[i]->ids.data;

		for (size_t n = 0; n < all->chain[i]->ids.len / sizeof(*at); n++)
			room += at[n] % ID_SHARES == share;
	}
	hashes = malloc(room * sizeof(*hashes));
	for (size_t i = 0; hashes && i < all->used; i++) {
		const struct rt_buf *ids = &all->chain[i]->ids;
		const uint64_t *at = (const void *)ids->data;

		for (size_t n = 0; n < ids->len / sizeof(*at); n++) {
			if (at[n] % ID_SHARES == share)
				hashes[count++] = (struct rt_pair){at[n], 0};
		}
	}
	rt_pairs_sort(hashes, count);
	for (size_t i = 1; i < count; i++)
		once = once && hashes[i].key != hashes[i - 1].key;
	once = once && hashes;
	free(hashes);
	return once;
}

/* Hold the ids of all lanes against each other, in turns. */
static void lane_compare(struct lane *lane)
{
	struct rt_lanes *all = lane->all;

	for (size_t i = (size_t)(lane - all->lanes); i < ID_SHARES; i += all->count) {
		if (!stand_once(all, i))
			atomic_store_explicit(&all->stop, true, memory_order_relaxed);
	}
}

static bool read_all(struct rt_lanes *all, size_t wanted)
{
	all->lanes = calloc(wanted, sizeof(*all->lanes));
	all->chain = calloc(wanted, sizeof(struct lane *));
	if (!all->lanes || !all->chain)
		return false;
	for (size_t i = 0; i < wanted; i++)
		all->lanes[i].all = all;
	if (!open_lanes(all, wanted) || !run_lanes(all, lane_run) || !find_chain(all))
		return false;
	return run_lanes(all, lane_compare) && !atomic_load(&all->stop);
}

struct rt_lanes *rt_lanes_read(const struct rt_options *options, const struct rt_lane_work *work)
{
	struct rt_lanes *all = calloc(1, sizeof(*all));
	struct rt_error err;
	size_t wanted;

	if (!all)
		return NULL;
	all->options = options;
	all->work = *work;
	wanted = lanes_wanted(all);
	if (wanted && rt_siphash_key_init(&all->key, &err) == RT_OK && read_all(all, wanted) &&
	    work->join(work->ctx, all))
		return all;
	rt_lanes_free(all);
	return NULL;
}

size_t rt_lanes_used(const struct rt_lanes *lanes)
{
	return lanes->used;
}

void *rt_lanes_share(const struct rt_lanes *lanes, size_t index)
{
	return lanes->chain[index]->share;
}

enum rt_status rt_lanes_check(const struct rt_options *options, struct rt_error *err)
{
	if (options->threads <= RT_THREADS_MAX)
		return RT_OK;
	return rt_error_set(err, RT_E_USAGE, "want at most %u threads, have %u", RT_THREADS_MAX,
			    options->threads);
}

void rt_lanes_free(struct rt_lanes *all)
{
	if (!all)
		return;
	for (size_t i = 0; all->lanes && i < all->count; i++)
		lane_release(&all->lanes[i]);
	free(all->chain);
	free(all->lanes);
	free(all);
}
