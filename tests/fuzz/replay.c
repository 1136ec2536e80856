/*
 * Replays files through a fuzz target without libFuzzer: a main for `make check`.
 *
 * Arguments: files, and directories whose files are taken (no deeper). Each file is handed over
 * whole and in its halves, in a block of its exact size so that a sanitizer sees one byte too far.
 * The target does its own checking by abort(). Refuses nothing but files that cannot be read.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tally {
	unsigned long passed;
	unsigned long failed;
};

/* A copy in a block of its own, so that nothing after it is readable unnoticed. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void replay_file(const char *path, size_t size, struct tally *tally)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(size ? size : 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		printf("%s: cannot be read\n", path);
		tally->failed++;
	} else {
		/* A target that aborts is found by the last name printed. */
		printf("%s\n", path);
		fflush(stdout);
		feed(data, size);
		feed(data, size / 2);
		feed(data + size / 2, size - size / 2);
		tally->passed++;
	}
	free(data);
	if (file)
		fclose(file);
}

static void replay_directory(const char *path, struct tally *tally)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		printf("%s: cannot be read\n", path);
		tally->failed++;
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		char name[4096];
		struct stat st;

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
			replay_file(name, (size_t)st.st_size, tally);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	struct tally tally = {0, 0};

	feed((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			replay_directory(argv[i], &tally);
		else
			replay_file(argv[i], (size_t)st.st_size, &tally);
	}
	printf("%lu passed, %lu failed\n", tally.passed, tally.failed);
	return tally.failed || !tally.passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
