/*
 * Every ceiling of the program, each with its unit and its reason (SPEC D22).
 *
 * Limits that a caller may set have their default here and their place in struct rt_limits; the
 * others are fixed. A limit bounds memory or time against a hostile input; none is a format rule.
 */
#ifndef RT_BASE_LIMITS_H
#define RT_BASE_LIMITS_H

#include "retriage.h"

#define RT_KIB (UINT64_C(1) << 10)
#define RT_MIB (UINT64_C(1) << 20)
#define RT_GIB (UINT64_C(1) << 30)

/* Contract 8; fixed. */
#define RT_REQUEST_IDS_MAX 100u
#define RT_NOTES_POINTS_MAX 1000u

/* Bytes: a record is held whole while it is cut into members; the largest real one seen is a
 * few hundred KiB of code snippets. */
#define RT_LIMIT_RECORD (16 * RT_MIB)
/* Levels: real exports nest four deep; the bound keeps every stack of ours small and fixed. */
#define RT_LIMIT_DEPTH UINT64_C(128)
/* The most that "depth" may be set to: the scanner's nesting bitmap is this long. */
#define RT_LIMIT_DEPTH_MAX UINT64_C(1024)
/* Members: an archive's directory is not free to walk even when nothing in it is read. */
#define RT_LIMIT_MEMBERS UINT64_C(100000)
/* Bytes out of decompression: stops bombs by what streams by, never by a declared size. */
#define RT_LIMIT_EXPANDED (64 * RT_GIB)
/* Bytes of address space: xz at its highest preset needs 65 MiB, zstd --long=27 needs 128. */
#define RT_LIMIT_DECODER (256 * RT_MIB)
/* Bytes: as much as a record may hold at all. */
#define RT_LIMIT_ALIAS (16 * RT_MIB)
/* Bytes: the two maps of a summary hold each distinct value once; a million values fit. */
#define RT_LIMIT_DISTINCT (256 * RT_MIB)
/* Bytes: the recent issues are held until the answer is written. */
#define RT_LIMIT_RECENT (256 * RT_MIB)
/* Bytes: 100 ids and 1000 code points of notes need a few tens of KiB. */
#define RT_LIMIT_REQUEST RT_MIB
#define RT_LIMIT_REQUESTS UINT64_C(1000000)
/* Bytes: comments of code forges end at 65,536 characters (REPORTS R19). */
#define RT_LIMIT_MD UINT64_C(65000)

/* Bytes: rules and artifacts of a SARIF log are looked up for each of its results; the largest real
 * ones seen are some MiB. */
#define RT_LIMIT_METADATA (256 * RT_MIB)
/* Bytes: logs and archives that cannot be read twice where they are are copied to a file in
 * $TMPDIR; a few megabytes of gzip could fill a disk. */
#define RT_LIMIT_TEMPORARY (4 * RT_GIB)

/* Milliseconds that a lock is waited for, of a journal or of a file that is replaced in place:
 * longer than any commit takes, shorter than a person's patience. */
#define RT_LOCK_WAIT_MS 60000u
/*
 * A line of a journal has at most so many bytes: a character of the request may be spelled with
 * six (\u007f) where its document had one; the envelope and an actor as long as a command line
 * argument may be have room after that. Nothing longer is written, so nothing longer is read.
 */
#define RT_JOURNAL_SPELLING 6u
#define RT_JOURNAL_ENVELOPE ((size_t)RT_MIB)
/* Mentions of ids in a run: so that every count of slots fits 32 bits; ten times what the limits of
 * requests and ids allow. */
#define RT_MENTIONS_MAX (1u << 30)

/* Bytes of memory that encoders may need beside the decoders: two of xz -6 at 94 MiB each, for the
 * file and for a member, and some MiB for buffers. The others need less: bzip2 8 MiB, zstd -3 and
 * lz4 a few. */
#define RT_ENCODER_BYTES (224 * RT_MIB)
/* Bytes of the directory of a zip: 100,000 entries of an ordinary kind take
 * 10 MiB. */
#define RT_ZIP_DIRECTORY_MAX (64 * RT_MIB)

/* Columns of a line of a table; wider terminals have no reader. */
#define RT_TABLE_WIDTH_MAX 1000u

/* Steps from a base of paths of a SARIF log to its outermost one: real logs have one or two, and
 * each path of a result goes over them. */
#define RT_SARIF_BASE_STEPS 100u

/* A regular expression of a filter: bytes of the pattern, which people write by hand; steps, KiB
 * and nested steps of one match. PCRE2's own ten million steps would be hours on an export; one
 * million is some milliseconds, and no plain search comes near it. */
#define RT_REGEX_PATTERN_BYTES 4096u
#define RT_REGEX_STEPS 1000000u
#define RT_REGEX_HEAP_KIB (16u * 1024)
#define RT_REGEX_DEPTH 1000u
/* Bytes of text gone over that count as a step. */
#define RT_REGEX_STEP_BYTES 100u

/* Faults that a validation report lists; the rest are counted. A report is for reading. */
#define RT_FAULTS_LISTED_MAX 10000u
/* Remarks that a verification report lists; the rest are counted. */
#define RT_REMARKS_LISTED_MAX 1000u

/* What was not read: names that a report lists; the rest is counted. Strangers' folders may hold
 * thousands, and the first ones show what kind they are. */
#define RT_UNREAD_LISTED_MAX 1000u

/* The HTTP shim. Fixed: what clients need is far below, and a caller has no better knowledge. */

/* Bytes of a request's first line and headers; browsers and proxies send 8 KiB at most. */
#define RT_HTTP_HEAD_BYTES (16 * RT_KIB)
/* Connections at once, and from one address. */
#define RT_HTTP_CONNECTIONS 256u
#define RT_HTTP_CONNECTIONS_PER_ADDRESS 64u
/* Seconds for a client to send a request, and without a byte in either direction. */
#define RT_HTTP_REQUEST_SECONDS 30u
/* The same where three quarters of the connections are taken. */
#define RT_HTTP_BUSY_SECONDS 5u
/* Seconds for a client to take an answer: a long list of rulesets over a slow line. */
#define RT_HTTP_ANSWER_SECONDS 300u
/* Bytes of answers that wait to be taken, whatever they answer, before there are no more: an update
 * whose answer would go beyond is refused before it is made. */
#define RT_HTTP_HELD_BYTES (64 * RT_MIB)
/* Times the limit of a request document: what is read of a body that is refused, so that the
 * client sees the answer instead of a reset. */
#define RT_HTTP_DRAIN_FACTOR 4u
/* Faults that a 422 lists; the rest are counted. */
#define RT_HTTP_FAULTS_LISTED_MAX 1000u
/* Bytes of a path that a log line shows. */
#define RT_HTTP_LOG_PATH_BYTES 200u
/* Bytes of a key file, and keys: each request is compared with every key. */
#define RT_HTTP_KEY_FILE_BYTES RT_MIB
#define RT_HTTP_KEYS_MAX 1000u
/* Characters of a key that somebody chose, at least: 64 bits and more when it is random. */
#define RT_HTTP_KEY_CHARS_MIN 16u

/* Bytes an answer may take in memory while it is held back; beyond, an unlinked file takes it. */
#define RT_SPOOL_MEMORY (4 * RT_MIB)

/* Bytes of input the scanner has in view at first: fits a second-level cache with room left. */
#define RT_WINDOW_BYTES (256 * RT_KIB)

/* Bytes that every window and buffer given to the scanner has readable after its end. */
#define RT_PADDING 64u

#endif
