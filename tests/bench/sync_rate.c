/*
 * The floor for durable updates: one writer appends 500 bytes and calls fdatasync, again and again.
 *
 * Input: a folder and a number of seconds, arguments 1 and 2. Output: appends a second, as a line
 * on standard output; the file has no name and leaves nothing. Fails when a call fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc == 3 ? atof(argv[2]) : 0;
	unsigned long done = 0;
	char path[4096];
	char entry[500];
	double begin;
	int fd;

	if (seconds <= 0)
		return fputs("use: sync_rate FOLDER SECONDS\n", stderr), 2;
	snprintf(path, sizeof(path), "%s/sync_rate.%ld", argv[1], (long)getpid());
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return perror(path), 1;
	unlink(path);
	memset(entry, 'x', sizeof(entry));
	begin = now();
	while (now() - begin < seconds) {
		if (write(fd, entry, sizeof(entry)) != (ssize_t)sizeof(entry) || fdatasync(fd) != 0)
			return perror(path), 1;
		done++;
	}
	printf("%.1f\n", (double)done / (now() - begin));
	return close(fd) == 0 ? 0 : 1;
}
