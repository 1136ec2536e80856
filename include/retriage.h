/*
 * retriage: offline engine for exported code-security findings.
 *
 * The one public header of libretriage. It reads data sets of issues and rulesets (JSON or YAML,
 * plain, compressed or in archives) and answers with the documents of the service contract.
 * Everything that is not declared here has hidden visibility.
 *
 * Threads: no function keeps global state; separate objects may be used from separate threads.
 * A program that uses jansson as well calls json_set_alloc_funcs() before anything here: when the
 * first request is read, ours are put around those, which go on serving everything else.
 * Processes: reading a compressed or archived input forks a child that decodes it and reaps it
 * again; a caller that waits for any child with wait(-1) would steal its exit status.
 */
#ifndef RETRIAGE_H
#define RETRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RT_API __attribute__((visibility("default")))

#define RT_VERSION "0.2.0"

/* What the caller must do next. Negative: nothing was delivered and err is set. */
enum rt_status {
	RT_OK = 0,      /* delivered; call again for more where that makes sense */
	RT_END = 1,     /* nothing left; not an error */
	RT_REJECT = -1, /* this item is bad and err says why; the next item can still be read */
	RT_FATAL = -2,  /* the whole run is over; err says why */
};

/* Why it failed. The exit status of the command line follows from it (SPEC D20). */
enum rt_code {
	RT_E_NONE = 0,
	RT_E_USAGE, /* wrong usage: an option, a path that does not exist; exit 2 */
	RT_E_INPUT, /* the input breaks a rule of its format or of SPEC; exit 2 */
	RT_E_LIMIT, /* the input is within its format but beyond a limit of SPEC D22; exit 2 */
	RT_E_IO,    /* the system refused or failed, sys holds errno; exit 3 */
	RT_E_NOMEM, /* memory could not be had; exit 3 */
};

/*
 * One failure and its place. Plain data, no pointers: may be copied and outlives its input.
 * Texts are NUL-terminated, cut to fit, and hold raw input bytes: pass them through
 * rt_error_format() before a person sees them. A number of 0 and an empty text mean "not known".
 */
struct rt_error {
	enum rt_code code;
	int sys;            /* errno where code is RT_E_IO, else 0 */
	uint64_t line;      /* from 1 */
	uint64_t column;    /* from 1, in bytes of the (decompressed) source text */
	uint64_t offset;    /* byte offset from 0 in the decompressed part; counts only with line */
	char path[1024];    /* of the file, as the user named it or the directory that it is in;
			     * "-" is standard input */
	char member[1024];  /* name inside an archive */
	char record[160];   /* kind and id, for example: issue "a1" */
	char field[128];    /* the member's name or JSON pointer */
	char message[1024]; /* want X, have Y */
};

/*
 * Write err as one line without a newline, in the form of SPEC D20:
 * PATH[MEMBER]:LINE:COLUMN: issue "ID": FIELD: want X, have Y.
 *
 * Unknown parts are left out. Control bytes, C1 and bidirectional controls and invalid UTF-8 from
 * the input are masked. buf receives at most cap bytes with the final NUL (cap > 0).
 * Returns buf.
 */
RT_API char *rt_error_format(const struct rt_error *err, char *buf, size_t cap);

/* Exit status for err (SPEC D20): 2 wrong usage or bad input, 3 the system failed. */
RT_API int rt_error_exit_status(const struct rt_error *err);

/* Bytes enough for every line rt_error_format() can write, NUL included. */
#define RT_ERROR_LINE_MAX 10240

/* Ceilings of SPEC D22 that a caller may set; base/limits.h holds defaults and reasons. */
struct rt_limits {
	uint64_t record_bytes;    /* one record, and one run of blanks */
	uint64_t depth;           /* nesting of arrays and objects, the record's own included */
	uint64_t archive_members; /* members of one archive, candidates or not */
	uint64_t expanded_bytes;  /* bytes decompression gives in one run */
	uint64_t decoder_bytes;   /* address space the decoder child may add */
	uint64_t alias_bytes;     /* what YAML aliases expand to in one record */
	uint64_t distinct_bytes;  /* distinct severities and categories of a summary */
	uint64_t recent_bytes;    /* the recent issues of a summary while they are held */
	uint64_t request_bytes;   /* one bulk-update request document */
	uint64_t requests;        /* requests in one run */
	uint64_t md_bytes;        /* the Markdown of a report */
	uint64_t metadata_bytes;  /* what is kept of the runs of one SARIF log, and repeated */
	uint64_t temporary_bytes; /* a temporary file that an input is kept in */
};

/* Fill limits with the defaults of SPEC D22. */
RT_API void rt_limits_init(struct rt_limits *limits);

/*
 * Set one limit by its name on the command line ("record", "depth", "members", ...) from text:
 * a decimal number of at least 1, with an optional KiB, MiB or GiB after it.
 * Returns false when there is no such limit, the text is no such number, or the number is more
 * than that limit can be; limits is untouched.
 */
RT_API bool rt_limits_set(struct rt_limits *limits, const char *name, const char *text);

/* The names that rt_limits_set() knows, one for each index from 0 on; NULL after the last. */
RT_API const char *rt_limits_name(size_t index);

/*
 * Which files of a directory and members of an archive are candidates (SPEC D1). A path is that
 * below the directory or in the archive; of an archive in a directory it is both. {0}: those with
 * a document's name. Paths that a user names are always read.
 *
 * A glob: `*` is any text without '/', `?` one character but '/', `**` any text, and `**` before
 * '/' as a part of the path also nothing; `[a-z]` and `[!a-z]` are classes; a backslash quotes.
 */
struct rt_choice {
	const char *const *include; /* globs; with any, what one of them matches, whatever its
				     * name ends in */
	size_t include_count;
	const char *const *exclude; /* globs; what one of them matches is left out */
	size_t exclude_count;
	bool
	    *matched; /* becomes true once a glob has matched a file or member; NULL: nobody asks */
};

/*
 * Whether text (NUL-terminated) is a glob: not empty, at most 1024 bytes, every class closed, and
 * no backslash at its end.
 */
RT_API bool rt_glob_is_valid(const char *text);

/* What becomes of an issue or ruleset whose id has stood before in the data set (SPEC D6). */
enum rt_duplicates {
	RT_DUPLICATES_REFUSE = 0, /* it is an error */
	/* Left out where it is equal in all documented members, and its dismissal, if it has one,
	 * in end and reason; else an error. Of SARIF also equal results of one log count once. */
	RT_DUPLICATES_EQUAL,
	/* Several issues are one, also results of SARIF at one place which the number in their ids
	 * alone tells apart: its severity the highest, where one that is no level counts as
	 * the worst, dismissed only if all are, the rest from the first. Another tool, rule or path
	 * is an error, and so is a ruleset that is not equal. All is read twice. */
	RT_DUPLICATES_WORST,
};

/* What becomes of a scan of a SARIF log that failed and has no results (SARIF.md S10). */
enum rt_failed_runs {
	RT_FAILED_RUNS_REFUSE = 0, /* it is an error: no findings is not what it says */
	RT_FAILED_RUNS_ACCEPT,     /* it is one without issues, which goes to notice */
};

/* Which of a SARIF result's two measures decides its severity, where it has both (SARIF.md S22). */
enum rt_severity_from {
	RT_SEVERITY_FROM_SCORE = 0, /* security-severity, its own or its rule's */
	RT_SEVERITY_FROM_LEVEL,     /* level: its own, its invocation's, or its rule's */
};

/* How ids are made of SARIF results (SARIF.md S18). */
enum rt_id_scheme {
	RT_IDS_S2 = 0, /* of equal results the number and how many there are: s2-...-1of3 */
	RT_IDS_S1,     /* as version 0.1 made them, for journals of that time: s1-...-2 */
};

/*
 * Where a data set comes from and how it is read (SPEC D1). All pointers are borrowed for as long
 * as the object that was made with them lives.
 */
struct rt_options {
	const char *const *paths; /* files, directories and "-"; read in this order */
	size_t path_count;        /* at least 1; without one every call is RT_E_USAGE */
	int input_fd;             /* what "-" reads; 0, as left by zeroing, is standard input */
	struct rt_limits limits;
	/* Called now and then with the bytes taken from the inputs so far (before decompression)
	 * and the bytes they hold, 0 where that is not known. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* A journal of the data set: answers are given from the state that it leads to (SPEC D19).
	 * NULL: from the data set as it is. rt_apply() appends to it. */
	const char *journal;
	/* Told what a person may want to know and is no error, such as that a lock is being waited
	 * for: text without a newline, which may hold raw input bytes. May be NULL. */
	void (*notice)(void *ctx, const char *text);
	void *notice_ctx;
	/* Which parts of directories and archives are read. Of a data set with a journal, all that
	 * have a document's name: anything else is RT_E_USAGE. */
	struct rt_choice choice;
	/* What is not read and was not left out by choice is an error, not a notice. */
	bool strict_input;
	/* Where the kernel cannot confine the unpacking process by all that struct rt_jail names,
	 * every call is RT_E_IO; else such a process goes without what there is not. */
	bool require_jail;
	/* How many were left out goes to notice. An export that is written has all of its
	 * records: with an output rt_apply() and rt_verify() take RT_DUPLICATES_REFUSE alone,
	 * anything else is RT_E_USAGE. */
	enum rt_duplicates duplicates;
	enum rt_failed_runs failed_runs;
	enum rt_severity_from severity_from; /* rt_partial(): scores alone, else RT_E_USAGE */
	/* WORD=LEVEL,...: severities of other systems and the levels that they are read as, exports
	 * alone; those of SARIF logs are levels. NULL: none; rt_partial() takes none. */
	const char *severity_map;
	enum rt_id_scheme ids; /* rt_partial(): RT_IDS_S2 alone, else RT_E_USAGE */
	/* Taken off the front of file paths, and so of what ids of SARIF logs are made of; the
	 * longest one that fits. A path in an export that is written stays as it is. */
	const char *const *strip_prefixes;
	size_t strip_prefix_count;
	/* An earlier scan of the same, by which rt_gate(), rt_report(), rt_list() and a table of
	 * rt_summary() tell what is new; paths, path_count and journal may differ from those of
	 * this one. NULL: none. */
	const struct rt_options *baseline;
	/* Of the fields owner and overdue: a CODEOWNERS file, and the days after which an open
	 * issue is overdue, critical .. info, RT_SLA_NO_DAYS or more: never. NULL: those fields
	 * cannot be asked for. */
	const char *owners;
	const uint64_t *sla;
	/* The member of the records that is the scanner's own fingerprint, by which those of two
	 * scans are matched first; NULL: none. */
	const char *fingerprint;
	/* Threads that read at once, up to RT_THREADS_MAX; more is RT_E_USAGE. 0: as many as help.
	 * rt_summary(), rt_gate() and rt_list() where it counts read one large file of JSON so,
	 * each thread from a record of its own on, without a journal, where duplicates are refused;
	 * all else has one reader. Answers are the same. */
	unsigned threads;
};

#define RT_THREADS_MAX 64u
#define RT_SLA_NO_DAYS UINT32_MAX

/* What the kernel has to confine a process with: the one that decompresses and unpacks, which
 * always is, and one that calls rt_confine(). */
struct rt_jail {
	bool seccomp;      /* of calls only those that it needs are left */
	unsigned landlock; /* version of Landlock, by which paths are taken from it; 0: none */
};

RT_API struct rt_jail rt_jail_look(void);

/* A path that a process which confines itself keeps. */
struct rt_kept_path {
	const char *path; /* borrowed for the call; "-", and what is not there, is passed over */
	bool read;        /* a file, or a folder with all below it */
	bool written;     /* a file or folder that will be made, replaced or appended to: all of the
			   * folder that it is in can be written */
};

struct rt_confinement {
	const struct rt_kept_path *paths;
	size_t path_count;
	bool serves; /* it will listen on a socket, and read what was put in the place of a file
		      * that it reads: all of the folder that each is in can be read */
	bool require_jail; /* as in struct rt_options */
};

/*
 * Confine this process for good: from here on it opens no other paths, starts no program, looks
 * into no other process, connects no socket, and has lost the rights of root that reading and
 * writing files does not need. What it is kept from fails with EPERM, EACCES or ENOSYS.
 * Files in $TMPDIR and the processes that unpack come from a process that is started here, a copy
 * of this one, and ends with the calling thread.
 *
 * For a program that does nothing else than to call this library: the library never calls it by
 * itself. Once, before any thread is started, and before anything is read. Where the kernel lacks
 * something it goes without that; see rt_jail_look().
 * Returns RT_OK, or RT_FATAL with err set (RT_E_IO).
 */
RT_API enum rt_status rt_confine(const struct rt_confinement *kept, struct rt_error *err);

/* Form of an answer. */
enum rt_format {
	RT_FORMAT_JSON = 0,
	RT_FORMAT_YAML,
	RT_FORMAT_TABLE, /* for people, not for programs: what it shows may change, and everything
			  * in it is masked; RT_E_USAGE where an answer has none */
	RT_FORMAT_MARKDOWN, /* the same for GitHub's Markdown; of rt_diff() and rt_carry() */
	RT_FORMAT_CSV,      /* of rt_log() */
};

#define RT_WIDTH_DEFAULT 120u

struct rt_style {
	enum rt_format format;
	bool pretty; /* JSON: two-space indentation; without it one compact line. Else: no effect */
	/* Of a table; no effect on documents. */
	unsigned width; /* columns that no line exceeds, up to 1000; 0: RT_WIDTH_DEFAULT */
	bool color;     /* severities have colours, headings are set apart (ECMA-48 sequences) */
};

/*
 * Where an answer goes. write() takes all len bytes or fails.
 * Returns RT_OK, or RT_FATAL with err set.
 */
struct rt_sink {
	enum rt_status (*write)(void *ctx, const void *data, size_t len, struct rt_error *err);
	void *ctx;
};

#define RT_RECENT_DEFAULT 10u /* SPEC D10 */
#define RT_RECENT_MAX 1000u   /* SPEC D10 */

/* One expression of a filter (WORKFLOW section 4): `severity=high..`, `title~(?i)sql`, `notes`. */
enum rt_term_kind {
	RT_TERM_WHERE, /* what it says holds */
	RT_TERM_NOT,   /* what it says does not hold */
	RT_TERM_OR,    /* begins the next group; no text */
};

struct rt_term {
	enum rt_term_kind kind;
	const char *text;
};

/*
 * Read a whole data set and write its issues summary (contract 4.2, SPEC D9, D10) to sink, with a
 * newline after it. recent: how many recent issues, 0 .. RT_RECENT_MAX; more is RT_E_USAGE.
 * As a table: open issues, with those whose dismissal has expired at `at`, and all of them by
 * severity and by the ten categories with most open ones; then the recent issues, a row each.
 * at: the present, in seconds since 1970. terms: which issues are meant, count of them.
 * Nothing is written before the last byte of the data set has been checked.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_summary(const struct rt_options *options, unsigned recent, int64_t at,
				 const struct rt_term *terms, size_t count, struct rt_style style,
				 const struct rt_sink *sink, struct rt_error *err);

/*
 * Read a whole data set and write what rt_summary() would count in it as a partial summary: a
 * document of which rt_merge() makes one summary with others: JSON Lines (schema partial-head), of
 * each issue what is counted, some 100 bytes, of each ruleset the id.
 *
 * options: duplicates are refused, and globs are UTF-8, anything else is RT_E_USAGE; threads have
 * no effect. With a journal it is the partial summary of the state.
 * output: the file that is replaced when all is well; NULL or "-": the sink, which is written to
 * after the last byte of the data set has been checked. RT_E_USAGE where it is an input.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_partial(const struct rt_options *options, unsigned recent,
				 const char *output, const struct rt_sink *sink,
				 struct rt_error *err);

/*
 * Read partial summaries, plain or compressed, and write the summary that rt_summary() would have
 * given of all their data sets in this order, with the same bytes.
 *
 * options: paths are partial summaries, no directories or archives of them. Each has to be of this
 * version and made with the same recent, failed_runs and choice as the first one. An id that stands
 * in two of them is RT_E_INPUT; err names both inputs. options->notice gets the notes of each one.
 * Memory follows the number of issues, some 40 bytes each, and the names of their inputs, which
 * limits.metadata_bytes bounds.
 * Returns as rt_summary().
 */
RT_API enum rt_status rt_merge(const struct rt_options *options, struct rt_style style,
			       const struct rt_sink *sink, struct rt_error *err);

/*
 * Read a whole data set and write its rulesets in input order (contract 4.3, SPEC D8, D11) to
 * sink, with a newline after them; or a table of them.
 *
 * repo_id: NUL-terminated UTF-8, or NULL for all rulesets.
 * org_wide: with repo_id, also those that are bound to no repository.
 * Nothing is written before the last byte of the data set has been checked.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_rulesets(const struct rt_options *options, const char *repo_id,
				  bool org_wide, struct rt_style style, const struct rt_sink *sink,
				  struct rt_error *err);

/* What the records of a validated file have to be. */
enum rt_kind {
	RT_KIND_ANY = 0, /* each record says itself (SPEC D3) */
	RT_KIND_ISSUE,
	RT_KIND_RULESET,
};

/*
 * Check a whole data set and write a report of every fault that can be told apart (schema
 * validate-report) to sink, with a newline after it. A fault in a record does not end the run;
 * a fault of grammar or decoding ends its file, and the next file is read.
 *
 * on_fault: called for each fault in the order of the input; may be NULL.
 * ret_faults: the number of faults found, set on RT_OK.
 * Returns RT_OK, or RT_FATAL with err set when the system failed or no answer could be given.
 */
RT_API enum rt_status rt_validate(const struct rt_options *options, enum rt_kind kind,
				  struct rt_style style, const struct rt_sink *sink,
				  void (*on_fault)(void *ctx, const struct rt_error *fault),
				  void *fault_ctx, uint64_t *ret_faults, struct rt_error *err);

/* A series of bulk updates (contract 4.1, SPEC D12 to D17). Texts are borrowed for the call. */
struct rt_update {
	const char *const *requests; /* files, directories, archives and "-"; applied in order */
	size_t request_count;        /* at least 1 */
	const char *output;          /* where the updated export is written; NULL: nowhere; "-": to
				      * the sink of rt_apply(), whose results then go to `results` */
	const char *results; /* a file that results are written to instead of the sink; NULL:
			      * none, so that with output "-" they are written nowhere */
	bool in_place;       /* replaces the export itself; not with output or a journal */
	int64_t at;        /* time of the update in seconds since 1970-01-01T00:00:00Z (SPEC D16) */
	const char *actor; /* who, for the journal: UTF-8, or NULL */
	int64_t now; /* the present, likewise, for remarks on a later time; 0: none are made */
	/* Called for each fault of a request, in the order of the input; may be NULL. */
	void (*on_fault)(void *ctx, const struct rt_error *fault);
	void *fault_ctx;
};

/* What a series did; a mention counts once for each request. */
struct rt_update_counts {
	uint64_t requests, updated, failed;
	uint64_t unchanged; /* of updated: issues in which nothing changed */
};

/*
 * Apply bulk updates to the export options->paths[0] and write one result document (contract 2.3)
 * a request to sink, each with a newline after it; in YAML each after "---" where there are
 * several; or one table of all issues that were updated or failed.
 *
 * options: exactly one path. With a journal the state is the export and the journal's entries, and
 * an entry is appended for each request; what is written to output is the state after them.
 * Everything has been checked, and is on disk, before anything is written to sink; a failure
 * before that leaves the export, the output, the results' file and the journal as they were. The
 * journal is committed first, then the export gets its place, then the results; an export that
 * goes to sink beside a journal comes last.
 * options->notice gets remarks on what was done, which are no faults: a request that is equal to
 * that of an earlier entry, a time before the last entry's, one in the future, and a note whose
 * words for an end are no day to come (TRIAGE T5).
 * ret_counts: set on RT_OK.
 *
 * Returns RT_OK; RT_REJECT when requests have faults, which on_fault was told: nothing was done,
 * and err is the first of them; RT_FATAL with err set.
 */
RT_API enum rt_status rt_apply(const struct rt_options *options, const struct rt_update *update,
			       struct rt_style style, const struct rt_sink *sink,
			       struct rt_update_counts *ret_counts, struct rt_error *err);

/*
 * Take away the temporary files of all rt_apply() and rt_verify() in this process, which then stand
 * still: the next thing has to be the end of the process. For a thread that waits for signals; what
 * is already in the place of a target stays.
 */
RT_API void rt_abandon(void);

/*
 * Check request documents and write a report of every fault to sink, as rt_validate() does.
 * options: paths are request files. Returns as rt_validate().
 */
RT_API enum rt_status
rt_validate_requests(const struct rt_options *options, struct rt_style style,
		     const struct rt_sink *sink,
		     void (*on_fault)(void *ctx, const struct rt_error *fault), void *fault_ctx,
		     uint64_t *ret_faults, struct rt_error *err);

/* What a journal is held against. Texts are borrowed for the call; NULL: left out. */
struct rt_verification {
	const char *head;   /* SEQ:HASH as rt_log_head() gives it: the journal must extend it */
	const char *expect; /* an export that must hold the state the journal leads to */
	const char *output; /* where an export with that state is written, if all is well; "-": to
			     * the sink of rt_verify(), whose report then goes to `report` */
	const char *report; /* a file that the report is written to instead of the sink; NULL: none,
			     * so that with output "-" it is written nowhere */
	/* What the journal's requests must be, these and no others in this order: as struct
	 * rt_update has them. Compared is what a request says: its distinct ids in order of first
	 * mention, and the other members that it gives. */
	const char *const *requests;
	size_t request_count; /* 0: none are compared */
	int64_t now; /* the present, in seconds since 1970, for remarks on a later time; 0: none */
};

/*
 * Verify options->journal, which is needed, on the base export, which is the one path: its chain,
 * its base, every request executed again at its time and every result (SPEC D19). Writes a report
 * (schema verify-report) to sink, with a newline after it. ret_valid: whether all is well; else
 * the report has the first thing that is not. Remarks in the report, which are no faults, are told
 * to options->notice too: equal requests, times that go back or are in the future, a last line that
 * is not whole.
 * As a table the report is one line, the verdict.
 * Returns RT_OK, or RT_FATAL with err set when no answer could be given: RT_E_USAGE also where a
 * file is of another kind than its place wants, as where journal and export are swapped.
 */
RT_API enum rt_status rt_verify(const struct rt_options *options,
				const struct rt_verification *verification, struct rt_style style,
				const struct rt_sink *sink, bool *ret_valid, struct rt_error *err);

/*
 * Which entries of a journal are shown: those that fulfil each condition that is given, of the ids
 * and of the names any one. {0}: all. Texts are borrowed for the call.
 */
struct rt_log_filter {
	const char *const *issues; /* ids, one of which the request names */
	size_t issue_count;
	const char *const *actors; /* names, one of which is the actor's */
	size_t actor_count;
	bool has_since;
	int64_t since; /* made at that time or later: seconds since 1970-01-01T00:00:00Z */
	bool has_until;
	int64_t until; /* likewise: at that time or earlier */
};

/*
 * Write a journal's entries to sink: a document (schema journal-log), a table, in which those of
 * one decision are one row, or CSV with a row an entry. Its chain is
 * checked to the end, whatever is shown; damage is an error, with nothing written.
 *
 * options: journal is needed. Without paths an entry is shown with what its request asked. With a
 * path, which has to be the journal's base, the entries are executed again, and shown with the
 * number of issues that they changed; where the filter names issues, with the old and new values in
 * those. Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_log(const struct rt_options *options, const struct rt_log_filter *filter,
			     struct rt_style style, const struct rt_sink *sink,
			     struct rt_error *err);

/*
 * Write where a journal ends as one line "SEQ:HASH" to sink: the number of its last entry (0: none
 * yet) and the hash of its last line in lower-case hex. options: journal and limits are used, paths
 * are not. Returns as rt_log().
 */
RT_API enum rt_status rt_log_head(const struct rt_options *options, const struct rt_sink *sink,
				  struct rt_error *err);

/* The fields that an expression may be about, one for each index from 0 on; NULL after the last:
 * the fields of an issue, what follows from them, and short names. */
RT_API const char *rt_filter_field(size_t index);

/* The members that issues can be counted by, one for each index from 0 on; NULL after the last. */
RT_API const char *rt_count_by_member(size_t index);

/* How the issues that were picked are shown (WORKFLOW W19). */
enum rt_list_form {
	RT_LIST_TABLE = 0, /* the first `rows` of them, worst first, and a line of counts */
	RT_LIST_JSON,      /* an array of issues as in answers */
	RT_LIST_CSV,       /* RFC 4180: a row each (REPORTS R23 to R25) */
	RT_LIST_IDS,       /* a JSON string a line */
	RT_LIST_RECORDS,   /* a JSON object a line: as in the export, with what a journal changed */
	RT_LIST_COUNT,     /* how many they are (schema list-count) */
	RT_LIST_FINDINGS,  /* a JSON object a line, with what follows from its fields (schema
			    * finding) */
};

#define RT_ROWS_DEFAULT 25u /* REPORTS R42 */

/* Which issues are listed, and how. Texts are borrowed for the call; {0}: all, as a table of counts
 * alone. */
struct rt_list {
	enum rt_list_form form;
	const struct rt_term *terms; /* see enum rt_term_kind; none: all */
	size_t term_count;
	int64_t at; /* the present, in seconds since 1970: for `age`, and dates such as -30d */
	/* One to three names of fields with commas between them: not the issues are shown but how
	 * many have which values. Of the forms table, csv and count; json is count then. NULL: not
	 * asked. */
	const char *count_by;
	const char *columns; /* names of fields with commas between them, or triage, of a table, CSV
			      * or findings; NULL: the usual ones */
	bool gone;           /* of findings: those that the baseline alone has follow */
	const char *sort;  /* likewise, what a table is put into order by, -NAME falling; NULL: the
			    * worst first */
	const char *link;  /* as in struct rt_report, for the column of CSV, and of a table
			    * with colours for its places */
	unsigned rows;     /* of a table */
	bool csv_raw;      /* CSV without the guard against formulas */
	bool csv_bom;      /* CSV begins with a byte order mark */
	bool show_secrets; /* CSV and findings have the code of secrets, too */
};

struct rt_list_counts {
	uint64_t total;    /* issues of the data set */
	uint64_t selected; /* those that were picked */
	bool differs;      /* some are not as the baseline has them, or gone */
};

/*
 * Read a whole data set and write the issues that a filter picks to sink. All forms but the table
 * are in input order. style.format is used by the forms json and count, and is JSON or YAML there;
 * a table has a width and colours.
 * Expressions and requests are checked before anything is read; nothing is written before the last
 * byte of the data set has been checked. options->notice gets how many were picked. That none
 * were is no error, also where nothing is written then: look at *ret_counts, set on RT_OK.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_list(const struct rt_options *options, const struct rt_list *list,
			      struct rt_style style, const struct rt_sink *sink,
			      struct rt_list_counts *ret_counts, struct rt_error *err);

/* One decision about all issues that a filter picks. Texts are borrowed for the call. */
struct rt_decide {
	const struct rt_term *terms;
	size_t term_count;
	bool all;                   /* no term is meant, and all issues are */
	int severity;               /* 0 critical .. 4 info; -1: stays as it is */
	int exploitable;            /* 0, 1; -1: stays as it is */
	bool reopen;                /* a dismissal is taken back */
	const char *reason;         /* it is dismissed for that, false_positive, ...; NULL: not */
	const char *expires;        /* until that day, YYYY-MM-DD; NULL: no end */
	const char *note;           /* NULL: none */
	const char *actor;          /* who decides, for the journal: UTF-8, or NULL */
	int64_t at, now;            /* as in struct rt_update; at is the filter's present, too */
	bool shows, dry_run;        /* write a table of what changes; do no more than that */
	unsigned rows;              /* of it */
	bool (*confirm)(void *ctx); /* asked after the table whether to go on; NULL: nobody is */
	void *confirm_ctx;
};

struct rt_decide_counts {
	uint64_t total;     /* issues of the data set */
	uint64_t selected;  /* those that were picked */
	uint64_t unchanged; /* of them: those that were so already */
	uint64_t requests;  /* for the others */
	bool refused;       /* confirm() said no */
};

/*
 * Find the issues that a filter picks and make requests that decide about those that are not so
 * already, as many ids to each as it may have: without a journal they are written to sink, as JSON
 * Lines for rt_apply(); with one they are applied, and it is appended to. A dismissal is a note
 * that begins with reason:WORD and ends with exp:YYYY-MM-DD, with the flag false_positive.
 * options->notice gets a line of counts. Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_decide(const struct rt_options *options, const struct rt_decide *ask,
				struct rt_style style, const struct rt_sink *sink,
				struct rt_decide_counts *ret_counts, struct rt_error *err);

/* What `lint` looks for. Texts are borrowed for the call. */
struct rt_lint {
	const char *const *rules; /* NAME=error, NAME=warning or NAME=off */
	size_t rule_count;
	int64_t at;    /* the present, which dismissals end by */
	unsigned rows; /* of a table */
};

/*
 * Read a whole data set, with its journal if it has one, and write the decisions that an auditor
 * would ask about (schema lint-report) to sink, with a newline after it, by rule and then in input
 * order. ret_clean: whether none of them is an error; set on RT_OK. Nothing is written before the
 * last byte has been checked. Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_lint(const struct rt_options *options, const struct rt_lint *ask,
			      struct rt_style style, const struct rt_sink *sink, bool *ret_clean,
			      struct rt_error *err);

/* The rules, one for each index from 0 on; NULL after the last. */
RT_API const char *rt_lint_rule(size_t index);

/* What two scans are compared by. Texts are borrowed for the call; {0}: all issues. */
struct rt_diff {
	const struct rt_term *terms; /* a pair is shown if they pick either side of it */
	size_t term_count;
	int64_t at;    /* the present, for the filter */
	unsigned rows; /* of a table */
};

/*
 * Read two data sets, say which issue of the old one is which of the new one, and write what is
 * new, gone, moved or changed (schema diff-report) to sink, with a newline after it. Each may have
 * a journal. As a table or Markdown: counts, then the first `rows` differences, worst first.
 * later->notice gets what may be a slip, such as that most old issues are gone.
 * ret_differ: whether any issue is not unchanged; set on RT_OK. Nothing is written before the last
 * byte of both has been checked. Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_diff(const struct rt_options *earlier, const struct rt_options *later,
			      const struct rt_diff *ask, struct rt_style style,
			      const struct rt_sink *sink, bool *ret_differ, struct rt_error *err);

/* How the decisions about one scan are brought to the next (WORKFLOW section 7). Texts are borrowed
 * for the call. */
struct rt_carry {
	const char *requests; /* a file that gets requests for rt_apply(), maybe none, JSON Lines;
			       * NULL: none */
	bool apply;           /* append them to the new scan's journal, each entry with where its
			       * decision was first made */
	const char *actor;    /* who carries, for the journal: UTF-8, or NULL */
	bool accept_changed;  /* carry also where the code has changed */
	int64_t at;           /* the present, for ends of decisions, and the time of the entries */
	int64_t now;          /* as in struct rt_update */
	unsigned rows;        /* of a table */
};

/*
 * Read two data sets, each with its journal if it has one, find the issue of the new one that each
 * decision about the old one is about, and write what became of every decision (schema
 * carry-report) to sink, with a newline after it. As a table or Markdown: the first `rows`
 * decisions, those that need a look first. With apply the new journal may be absent.
 * A severity is a decision only where the old journal has changed it, or a SARIF log itself says
 * that somebody has.
 * later->notice gets a line of counts, and what may be a slip. ret_all: whether no decision was
 * left behind that may still be about an issue of the new scan; set on RT_OK. The journal is
 * appended to first, then the file of requests gets its place, then sink is written.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_carry(const struct rt_options *earlier, const struct rt_options *later,
			       const struct rt_carry *ask, struct rt_style style,
			       const struct rt_sink *sink, bool *ret_all, struct rt_error *err);

/* The severities that conditions name; what is no level is `unknown`. */
#define RT_MAX_NAMES 7u /* critical, high, medium, low, info, unknown, total: in this order */
#define RT_MAX_NONE UINT64_MAX

/* What findings must fulfil to pass (WORKFLOW section 3). */
struct rt_gate_options {
	int fail_on;                /* no open issue at this level or above: 0 critical .. 4 info;
				     * -1: not asked */
	uint64_t max[RT_MAX_NAMES]; /* at most so many open ones; RT_MAX_NONE: not asked */
	uint64_t at_least;          /* fewer issues of any kind fail; 0: even none of them that
				     * the filter picks pass; RT_MAX_NONE: not asked */
	bool count_false_positives;
	int unknown_as; /* the level of severities that are none: 0 .. 4; -1: as critical for
			 * fail_on, as the worst level that has one for max, or by themselves
			 * where max has a number of unknown ones */
	int64_t at;     /* the present, for notes that end a decision */
	/* The same as fail_on and max, of open issues that the baseline lacks. */
	int fail_on_new;
	uint64_t max_new[RT_MAX_NAMES];
	/* NAME,...: at most 8 tools of which a scan is among the inputs, whatever it found: as a
	 * run of a SARIF log, or as model_used of an issue, in any case. NULL: not asked. */
	const char *expect_tools;
};

/* Fill options with no condition at all. */
RT_API void rt_gate_options_init(struct rt_gate_options *options);

/*
 * Read a whole data set and write the verdict on its findings (schema gate-verdict) to sink, with a
 * newline after it, whether they pass or not. As a table it is a line a condition, and the worst
 * findings of those that failed; else options->notice gets these lines.
 * conditions: at least one, else it is RT_E_USAGE. terms: which issues are meant, count of them; a
 * filter that picks none of some issues fails, but with at_least 0. So do failed scans, unless
 * options->failed_runs accepts them.
 * ret_pass: set on RT_OK. Nothing is written before the last byte has been checked.
 * Returns RT_OK, or RT_FATAL with err set.
 */
RT_API enum rt_status rt_gate(const struct rt_options *options,
			      const struct rt_gate_options *conditions, const struct rt_term *terms,
			      size_t count, struct rt_style style, const struct rt_sink *sink,
			      bool *ret_pass, struct rt_error *err);

/* One output of a report. Texts are borrowed for the call. */
struct rt_report_output {
	const char *kind; /* html, md, csv, junit, ..., see rt_report_kind_name() */
	const char *file; /* is replaced when all is well; "-": the sink, for one of them */
};

/* The kinds of reports, one for each index from 0 on; NULL after the last. */
RT_API const char *rt_report_kind_name(size_t index);

#define RT_REPORT_FINDINGS UINT64_C(10000) /* REPORTS section 2 */

/* What a report is made of, and how. Texts are borrowed for the call. */
struct rt_report {
	const struct rt_report_output *outputs;
	size_t output_count;         /* at least 1 */
	const struct rt_term *terms; /* which issues are meant */
	size_t term_count;
	const struct rt_gate_options *conditions; /* NULL: none */
	int64_t at;            /* the present: for ages, ends of dismissals and the filter */
	const char *title;     /* NULL: none */
	const char *link;      /* https template with {path}, {line}, {repo}; NULL: none */
	uint64_t max_findings; /* listed by html and junit */
	bool no_code;
	bool hide_false_positives;
	bool csv_raw, csv_bom;
	bool show_secrets;   /* the code of findings about secrets is shown, too */
	const char *columns; /* of csv, as in struct rt_list */
	/* A file that gets a line more, JSON (schema trend-line): what there was at this time.
	 * NULL: none. */
	const char *history;
	/* Of sarif: */
	bool keep_gone;       /* with what the baseline alone has */
	bool for_github;      /* within what GitHub takes */
	bool keep_suppressed; /* with dismissed issues all the same */
	const char *losses;   /* what is left out, as a document (schema losses); NULL: no file */
	const char *category; /* of runs of exports; NULL: the repository, or the tool */
};

/* Fill report with what it is where nothing is said. */
RT_API void rt_report_init(struct rt_report *report);

/*
 * Read a whole data set once and write reports of it (REPORTS). Files are made beside their targets
 * and flushed; then the sink is written; then they are renamed in their order. So whatever fails up
 * to the first rename, the sink included, no target has changed.
 * ret_pass: whether the conditions are fulfilled, true without any; set on RT_OK. options->notice
 * is told what rt_gate() tells, and what a report leaves out. Returns RT_OK, or RT_FATAL with err
 * set: RT_E_USAGE also where two outputs have one file, one is an input, or link is no https one.
 */
RT_API enum rt_status rt_report(const struct rt_options *options, const struct rt_report *report,
				const struct rt_sink *sink, bool *ret_pass, struct rt_error *err);

/* 9999-12-31T23:59:59Z, in seconds since 1970-01-01T00:00:00Z: no time is later. */
#define RT_TIME_MAX INT64_C(253402300799)

/*
 * Read a point in time as SPEC D10 has it into whole seconds since 1970-01-01T00:00:00Z; a
 * fraction is dropped. text: NUL-terminated.
 * Returns false, with *ret_seconds untouched, where it is none or its year is beyond 9999.
 */
RT_API bool rt_time_parse(const char *text, int64_t *ret_seconds);

/* The same, or "-30d" for 30 days before `at`, in such seconds. */
RT_API bool rt_time_parse_from(const char *text, int64_t at, int64_t *ret_seconds);

/* The HTTP shim (contract 4 and 5, SPEC D21); only in a library built with HTTP=1. Texts are
 * borrowed for the call. */
struct rt_serve {
	/* ADDR:PORT or [ADDR]:PORT with a numeric address, localhost:PORT, or :PORT of 127.0.0.1;
	 * port 0: any free one; NULL: 127.0.0.1:8080 */
	const char *listen;
	const char *key_file;             /* "NAME sha256:HEX" a line; or NULL */
	const char *key;                  /* one key by itself, whose NAME is "default"; or NULL */
	const char *const *allowed_hosts; /* values of Host that are served besides `listen` */
	size_t allowed_host_count;
	/* Called with a line for standard error, len bytes with its newline: a request, a note.
	 * Masked; never holds a key. Called from several threads, one at a time. */
	void (*log)(void *ctx, const char *line, size_t len);
	void *log_ctx; /* handed to ready() as well */
	/* Called once, when the export and the journal have been read and control_fd is read from
	 * now on; until then there is nothing to finish. May be NULL. */
	void (*ready)(void *ctx);
	/* A descriptor: a byte, or its end, means to finish what is in flight and return; a second
	 * one to return at once. */
	int control_fd;
};

/*
 * Serve the state of the one path of options and of options->journal, which is needed, until
 * control_fd says to end.
 * Returns RT_OK then, when everything in flight was answered; RT_FATAL with err
 * set: it could not start (no key is configured, the address cannot be had, the export or the
 * journal is bad), or a flush of the journal failed, or the export has changed while it was served
 * (every waiting update was answered 503).
 */
RT_API enum rt_status rt_serve(const struct rt_options *options, const struct rt_serve *serve,
			       struct rt_error *err);

/*
 * Load libmicrohttpd, as rt_serve() does by itself; for a caller of rt_confine(), which takes away
 * the right to read it. Returns RT_OK, or RT_FATAL with err set (RT_E_IO).
 */
RT_API enum rt_status rt_serve_load(struct rt_error *err);

/*
 * Make a fresh key of 256 random bits. name: for the key file: 1 to 64 letters, digits and ._@-
 * key: receives 43 characters of base64url and a NUL. line: receives the line for the key file,
 * without a newline, and a NUL.
 * Returns RT_OK, or RT_FATAL with err set: RT_E_USAGE where name is none.
 */
RT_API enum rt_status rt_serve_new_key(const char *name, char key[44], char line[160],
				       struct rt_error *err);

/* What somebody who mistyped a name may have meant. */

/* Room for what rt_nearest_hint() writes. */
#define RT_HINT_MAX 128u

struct rt_nearest {
	const char *word; /* as it was typed; not NUL-terminated */
	size_t len;
	const char *name; /* the nearest one so far that is near enough; NULL: none */
	size_t distance;  /* of that one */
	bool exact;       /* the word is one of the names: it is not what is wrong */
};

/* Begin to look for the name nearest to len bytes at word, which is borrowed. */
RT_API void rt_nearest_begin(struct rt_nearest *nearest, const char *word, size_t len);

/* Offer a name, which is borrowed. Of those that are equally near the first one stays. */
RT_API void rt_nearest_offer(struct rt_nearest *nearest, const char *name);

/*
 * The end of a message about the word: `; did you mean "NAME"?`, or otherwise where no name is
 * near. dashes: is before the name. Returns hint, or otherwise.
 */
RT_API const char *rt_nearest_hint(const struct rt_nearest *nearest, const char *dashes,
				   const char *otherwise, char hint[RT_HINT_MAX]);

/* One document of schemas/, carried inside the library. */
struct rt_schema {
	const char *name; /* "issue" for issue.schema.json; "openapi" for openapi.json */
	const char *text; /* the file's bytes, NUL-terminated */
	size_t len;       /* without the NUL */
};

/* All schemas in byte order of their names; *ret_count is set. Never NULL, static storage. */
RT_API const struct rt_schema *rt_schemas(size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif
