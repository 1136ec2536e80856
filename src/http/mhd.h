/*
 * libmicrohttpd, loaded when the service starts: every other command would pay for it and the
 * libraries behind it, about two milliseconds and two MiB at each start.
 *
 * The functions below are libmicrohttpd's, under names of our own; what they take and return is in
 * its header. Nothing of src/http includes that header but through this one.
 */
#ifndef RT_HTTP_MHD_H
#define RT_HTTP_MHD_H

#include <microhttpd.h>

#include "base/error.h"

/* Whether the header is that of a library behind 0.9.77, which reads heads in another way: what is
 * built for one kind is not right for the other. */
#define RT_MHD_IS_NEWER (MHD_VERSION >= 0x00097701)

/* Load the library. Before any other function. Returns RT_OK, or RT_FATAL (RT_E_IO). */
enum rt_status rt_mhd_load(struct rt_error *err);

#define MHD_add_connection rt_mhd_add_connection
#define MHD_add_response_header rt_mhd_add_response_header
#define MHD_create_response_from_buffer rt_mhd_create_response
#define MHD_create_response_from_buffer_with_free_callback rt_mhd_create_response_free
#define MHD_destroy_response rt_mhd_destroy_response
#define MHD_get_connection_info rt_mhd_get_connection_info
#define MHD_get_connection_values_n rt_mhd_get_connection_values
#define MHD_queue_response rt_mhd_queue_response
#define MHD_resume_connection rt_mhd_resume_connection
#define MHD_start_daemon rt_mhd_start_daemon
#define MHD_stop_daemon rt_mhd_stop_daemon
#define MHD_suspend_connection rt_mhd_suspend_connection

enum MHD_Result rt_mhd_add_connection(struct MHD_Daemon *daemon, MHD_socket fd,
				      const struct sockaddr *address, socklen_t len);
enum MHD_Result rt_mhd_add_response_header(struct MHD_Response *response, const char *header,
					   const char *content);
struct MHD_Response *rt_mhd_create_response(size_t size, void *buffer,
					    enum MHD_ResponseMemoryMode mode);
struct MHD_Response *rt_mhd_create_response_free(size_t size, void *buffer,
						 MHD_ContentReaderFreeCallback free_callback);
void rt_mhd_destroy_response(struct MHD_Response *response);
const union MHD_ConnectionInfo *rt_mhd_get_connection_info(struct MHD_Connection *connection,
							   enum MHD_ConnectionInfoType type);
int rt_mhd_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
				 MHD_KeyValueIteratorN iterator, void *iterator_ctx);
enum MHD_Result rt_mhd_queue_response(struct MHD_Connection *connection, unsigned status,
				      struct MHD_Response *response);
void rt_mhd_resume_connection(struct MHD_Connection *connection);
struct MHD_Daemon *rt_mhd_start_daemon(unsigned flags, uint16_t port,
				       MHD_AcceptPolicyCallback accept, void *accept_ctx,
				       MHD_AccessHandlerCallback handler, void *handler_ctx, ...);
void rt_mhd_stop_daemon(struct MHD_Daemon *daemon);
void rt_mhd_suspend_connection(struct MHD_Connection *connection);

#endif
