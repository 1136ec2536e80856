/*
 * Loads libmicrohttpd and passes calls on to it. Input: the library's name. Output: its functions.
 * Refuses a library that lacks one of them, or that is of another kind than the header.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "http/mhd.h"

#undef MHD_add_connection
#undef MHD_add_response_header
#undef MHD_create_response_from_buffer
#undef MHD_create_response_from_buffer_with_free_callback
#undef MHD_destroy_response
#undef MHD_get_connection_info
#undef MHD_get_connection_values_n
#undef MHD_get_version
#undef MHD_queue_response
#undef MHD_resume_connection
#undef MHD_start_daemon
#undef MHD_stop_daemon
#undef MHD_suspend_connection

/* The name that goes with the header this is built with: Debian's libmicrohttpd12. */
#define LIBRARY "libmicrohttpd.so.12"

/* Every function that is used, by the header's own type. */
#define FUNCTIONS(X)                                                                               \
	X(MHD_add_connection)                                                                      \
	X(MHD_add_response_header)                                                                 \
	X(MHD_create_response_from_buffer)                                                         \
	X(MHD_create_response_from_buffer_with_free_callback)                                      \
	X(MHD_destroy_response)                                                                    \
	X(MHD_get_connection_info)                                                                 \
	X(MHD_get_connection_values_n)                                                             \
	X(MHD_get_version)                                                                         \
	X(MHD_queue_response)                                                                      \
	X(MHD_resume_connection)                                                                   \
	X(MHD_start_daemon_va)                                                                     \
	X(MHD_stop_daemon)                                                                         \
	X(MHD_suspend_connection)

/* Set once, by load(), and only read afterwards: a library is loaded for a whole process. */
static struct {
#define X(name) __typeof__(&(name)) name; /* NOLINT(bugprone-macro-parentheses): declares it */
	FUNCTIONS(X)
#undef X
	const char *missing; /* NULL where all are there */
} mhd;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	mhd.missing = library ? NULL : LIBRARY;
	/* The form that POSIX gives for turning an object pointer into a function's. */
#define X(name)                                                                                    \
	if (!mhd.missing) {                                                                        \
		*(void **)(void *)&mhd.name = dlsym(library, #name);                               \
		if (!mhd.name)                                                                     \
			mhd.missing = #name;                                                       \
	}
	FUNCTIONS(X)
#undef X
}

/* Whether a version has the newer way to be told how strict to be, and the newer parser. */
static bool is_newer(const char *version)
{
	static const unsigned long last[] = {0, 9, 77, 0}; /* of the older kind: 0.9.77 */

	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		char *end;
		unsigned long part = strtoul(version, &end, 10);

		if (part != last[i])
			return part > last[i];
		version = *end ? end + 1 : end;
	}
	return false;
}

enum rt_status rt_mhd_load(struct rt_error *err)
{
	(void)pthread_once(&once, load);
	if (mhd.missing)
		return rt_error_set(err, RT_E_IO, "want %s to serve HTTP, have it missing",
				    mhd.missing);
	if (is_newer(mhd.MHD_get_version()) != RT_MHD_IS_NEWER)
		return rt_error_set(err, RT_E_IO,
				    "want the libmicrohttpd that this was built with, have %s",
				    mhd.MHD_get_version());
	return RT_OK;
}

enum MHD_Result rt_mhd_add_connection(struct MHD_Daemon *daemon, MHD_socket fd,
				      const struct sockaddr *address, socklen_t len)
{
	return mhd.MHD_add_connection(daemon, fd, address, len);
}

enum MHD_Result rt_mhd_add_response_header(struct MHD_Response *response, const char *header,
					   const char *content)
{
	return mhd.MHD_add_response_header(response, header, content);
}

struct MHD_Response *rt_mhd_create_response(size_t size, void *buffer,
					    enum MHD_ResponseMemoryMode mode)
{
	return mhd.MHD_create_response_from_buffer(size, buffer, mode);
}

struct MHD_Response *rt_mhd_create_response_free(size_t size, void *buffer,
						 MHD_ContentReaderFreeCallback free_callback)
{
	return mhd.MHD_create_response_from_buffer_with_free_callback(size, buffer, free_callback);
}

void rt_mhd_destroy_response(struct MHD_Response *response)
{
	mhd.MHD_destroy_response(response);
}

const union MHD_ConnectionInfo *rt_mhd_get_connection_info(struct MHD_Connection *connection,
							   enum MHD_ConnectionInfoType type)
{
	return mhd.MHD_get_connection_info(connection, type);
}

int rt_mhd_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
				 MHD_KeyValueIteratorN iterator, void *iterator_ctx)
{
	return mhd.MHD_get_connection_values_n(connection, kind, iterator, iterator_ctx);
}

enum MHD_Result rt_mhd_queue_response(struct MHD_Connection *connection, unsigned status,
				      struct MHD_Response *response)
{
	return mhd.MHD_queue_response(connection, status, response);
}

void rt_mhd_resume_connection(struct MHD_Connection *connection)
{
	mhd.MHD_resume_connection(connection);
}

struct MHD_Daemon *rt_mhd_start_daemon(unsigned flags, uint16_t port,
				       MHD_AcceptPolicyCallback accept, void *accept_ctx,
				       MHD_AccessHandlerCallback handler, void *handler_ctx, ...)
{
	struct MHD_Daemon *daemon;
	va_list options;

	va_start(options, handler_ctx);
	daemon =
	    mhd.MHD_start_daemon_va(flags, port, accept, accept_ctx, handler, handler_ctx, options);
	va_end(options);
	return daemon;
}

void rt_mhd_stop_daemon(struct MHD_Daemon *daemon)
{
	mhd.MHD_stop_daemon(daemon);
}

void rt_mhd_suspend_connection(struct MHD_Connection *connection)
{
	mhd.MHD_suspend_connection(connection);
}
