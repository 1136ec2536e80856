/*
 * One connection, in its own thread: bytes in, answers out, deadlines for both.
 */
#ifndef RT_HTTP_CONNECTION_H
#define RT_HTTP_CONNECTION_H

/* The thread's function. ctx: a struct rt_connection that is open. */
void *rt_connection_run(void *ctx);

#endif
