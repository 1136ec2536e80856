/*
 * Taking connections off the listening socket and handing them to libmicrohttpd.
 *
 * Its own way of accepting is not used: 0.9.75 ends the process at times when it is told to stop
 * accepting, and turns in circles while the process is out of descriptors.
 *
 * Threads: the one that controls the service.
 */
#ifndef RT_HTTP_ACCEPT_H
#define RT_HTTP_ACCEPT_H

#include "http/server.h"

/* Milliseconds between tries while a limit is reached. */
#define RT_ACCEPT_PAUSE_MS 50

/*
 * The descriptor to poll for connections; -1 while none are taken: all that are allowed are open,
 * or there was no room for another. They wait in the kernel's queue meanwhile.
 */
int rt_accept_fd(struct rt_server *server);

/*
 * Take some of the connections that wait at a listening socket. Returns RT_OK; RT_FATAL with err
 * set where the listening socket takes none any more: whoever gave it to us has shut it down.
 */
enum rt_status rt_accept(struct rt_server *server, int listening_fd, struct rt_error *err);

/* Take no more. What listens is closed, which turns away whoever still waits there, unless
 * somebody else holds it as well. */
void rt_accept_end(struct rt_server *server);

#endif
