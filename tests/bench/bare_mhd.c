/*
 * The floor for the HTTP shim: libmicrohttpd sends one body to everyone, and nothing else happens.
 *
 * Input: a file, argument 1. Output: the port on 127.0.0.1 as a line on standard output, then the
 * file's bytes to each request, whatever it asks, until standard input ends. Threads and limits are
 * those of src/http.
 */
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **context)
{
	static char seen;

	(void)url, (void)method, (void)version, (void)data;
	/* Called once with the header alone, as every handler is. */
	if (!*context) {
		*context = &seen;
		return MHD_YES;
	}
	*size = 0;
	return MHD_queue_response(connection, MHD_HTTP_OK, cls);
}

static struct MHD_Response *read_body(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct MHD_Response *response = NULL;
	char *body = NULL;
	long len = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		len = ftell(file);
	if (len > 0 && fseek(file, 0, SEEK_SET) == 0)
		body = malloc((size_t)len);
	if (body && fread(body, 1, (size_t)len, file) == (size_t)len)
		response =
		    MHD_create_response_from_buffer((size_t)len, body, MHD_RESPMEM_MUST_FREE);
	else
		free(body);
	if (file)
		fclose(file);
	return response;
}

static struct MHD_Daemon *start(struct MHD_Response *response)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = cpus < 2 ? 1 : cpus > 4 ? 4 : (unsigned)cpus;
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};

	return MHD_start_daemon(
	    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle,
	    response, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 * 1024, MHD_OPTION_CONNECTION_LIMIT,
	    256u, MHD_OPTION_CONNECTION_TIMEOUT, 10u,
	    threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
}

int main(int argc, char **argv)
{
	struct MHD_Response *response = argc == 2 ? read_body(argv[1]) : NULL;
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *daemon;
	char byte;

	if (!response ||
	    MHD_add_response_header(response, "Content-Type", "application/json") != MHD_YES)
		return fputs("use: bare_mhd FILE\n", stderr), 2;
	daemon = start(response);
	info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info)
		return fputs("bare_mhd: cannot start\n", stderr), 1;
	printf("%u\n", (unsigned)info->port);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	MHD_stop_daemon(daemon);
	MHD_destroy_response(response);
	return 0;
}
