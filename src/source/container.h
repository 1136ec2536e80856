/*
 * Containers: tar, 7z and cpio, read by libarchive with exactly the one format, and zip by libzip.
 */
#ifndef RT_SOURCE_CONTAINER_H
#define RT_SOURCE_CONTAINER_H

#include "source/input.h"
#include "source/zip.h"

struct archive;
struct archive_entry;

enum rt_member_kind {
	RT_MEMBER_FILE,
	RT_MEMBER_FOLDER,
	RT_MEMBER_SYMLINK,
	RT_MEMBER_HARDLINK,
	RT_MEMBER_SPECIAL
};

/* One member of a container, while it is the current one. */
struct rt_archived {
	char *path;               /* its name, as it is shown */
	const char *name;         /* a candidate's; NULL where it is none (SPEC D1) */
	struct rt_stream *stream; /* its bytes as the container holds them, from the start */
	uint64_t index;           /* from 0, over all members */
	enum rt_member_kind kind;
	bool is_encrypted;
	struct archive_entry *entry;     /* NULL: of a zip */
	const struct rt_zip_member *zip; /* of a zip; else NULL */
};

/* What to do with a member; what is left of its stream afterwards is passed over. */
typedef enum rt_status rt_visit(void *ctx, const struct rt_archived *member, struct rt_error *err);

/*
 * Go through all members in the container's order, with all checks but those of a document's
 * compression. layers: placed.
 * Returns as rt_decode_run().
 */
enum rt_status rt_container_walk(struct rt_decode *decode, const struct rt_layers *layers,
				 rt_visit *visit, void *ctx, struct rt_error *err);

#endif
