/*
 * paired: times several commands in turn, A B A B, so that drift of the machine hits all alike.
 *
 * Input: options and commands with names. Output: on standard output one `time` line for each
 * command, one `ratio` line for each command after the first, and a `busy` line with the number
 * of CPUs that other programs kept busy meanwhile; the commands' own standard output is thrown
 * away. Times are milliseconds, memory is KiB; a command's memory is the peak of its largest
 * process.
 * Refuses a command that does not exit with 0: then nothing is printed (exit 1).
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMANDS_MAX 8
#define ROUNDS_MAX 101

struct command {
	const char *name;
	char **argv;
	double wall[ROUNDS_MAX];
	double user[ROUNDS_MAX];
	double sys[ROUNDS_MAX];
	long peak; /* KiB, the largest of all rounds */
};

static const char usage[] = "usage: paired [-n ROUNDS] [-w WARM_UPS] [-c CPU] NAME COMMAND ARG... "
			    "[-- NAME COMMAND ARG...]\n";

static double milliseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Milliseconds of all CPUs that were not idle since the system started; 0 where nobody says. */
static double busy_time(void)
{
	unsigned long long user, nice, system, idle, wait, irq, soft_irq;
	FILE *file = fopen("/proc/stat", "r");
	int fields = 0;

	if (file) {
		fields = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
				&system, &idle, &wait, &irq, &soft_irq);
		fclose(file);
	}
	if (fields != 7)
		return 0;
	return (double)(user + nice + system + irq + soft_irq) * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

/* The same for the commands that have been waited for. */
static double own_time(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

static void run_child(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

/* Run once; round < 0 is a warm-up that is not recorded. */
static bool run_once(struct command *command, int round)
{
	struct rusage used;
	double start = now();
	pid_t child = fork();
	int status;
	double wall;

	if (child < 0)
		return false;
	if (child == 0)
		run_child(command->argv);
	if (wait4(child, &status, 0, &used) != child)
		return false;
	wall = now() - start;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "paired: %s ended with status 0x%x\n", command->name,
			(unsigned)status);
		return false;
	}
	if (round < 0)
		return true;
	command->wall[round] = wall;
	command->user[round] = milliseconds(used.ru_utime);
	command->sys[round] = milliseconds(used.ru_stime);
	if (used.ru_maxrss > command->peak)
		command->peak = used.ru_maxrss;
	return true;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Minimum, median and maximum; leaves values as they are. */
static void spread(const double *values, int count, double ret_three[3])
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, (size_t)count * sizeof(*values));
	qsort(sorted, (size_t)count, sizeof(*sorted), compare_doubles);
	ret_three[0] = sorted[0];
	ret_three[1] = sorted[count / 2];
	ret_three[2] = sorted[count - 1];
}

static void print_times(const struct command *command, int rounds)
{
	double wall[3];
	double user[3];
	double sys[3];

	spread(command->wall, rounds, wall);
	spread(command->user, rounds, user);
	spread(command->sys, rounds, sys);
	printf("time %s %.1f %.1f %.1f %.1f %.1f %ld\n", command->name, wall[0], wall[1], wall[2],
	       user[1], sys[1], command->peak);
}

/* The ratios are those of runs that were neighbours in time. */
static void print_ratio(const struct command *first, const struct command *other, int rounds)
{
	double ratios[ROUNDS_MAX];
	double three[3];

	for (int i = 0; i < rounds; i++)
		ratios[i] = first->wall[i] / other->wall[i];
	spread(ratios, rounds, three);
	printf("ratio %s %s %.4f %.4f %.4f\n", first->name, other->name, three[0], three[1],
	       three[2]);
}

/* Cut the words after the options into commands at each "--"; returns their number, or 0. */
static int read_commands(struct command *commands, int argc, char **argv)
{
	int count = 0;

	for (int i = 0; i < argc; i++) {
		if (count == COMMANDS_MAX || i + 1 >= argc)
			return 0;
		commands[count].name = argv[i];
		commands[count++].argv = argv + i + 1;
		while (i < argc && strcmp(argv[i], "--") != 0)
			i++;
		if (i < argc)
			argv[i] = NULL;
	}
	return count;
}

/* *ret_busy: CPUs that other programs kept busy. */
static bool run_all(struct command *commands, int count, int warm_ups, int rounds, double *ret_busy)
{
	double busy = busy_time();
	double start = now();

	for (int round = -warm_ups; round < rounds; round++)
		for (int i = 0; i < count; i++)
			if (!run_once(&commands[i], round))
				return false;
	*ret_busy = (busy_time() - busy - own_time()) / (now() - start);
	return true;
}

static bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

int main(int argc, char **argv)
{
	static struct command commands[COMMANDS_MAX];
	int rounds = 5;
	int warm_ups = 1;
	int cpu = -1;
	int count;
	int which;
	double busy;

	while ((which = getopt(argc, argv, "+n:w:c:")) != -1) {
		if (which == 'n')
			rounds = atoi(optarg);
		else if (which == 'w')
			warm_ups = atoi(optarg);
		else if (which == 'c')
			cpu = atoi(optarg);
		else
			rounds = 0;
	}
	count = read_commands(commands, argc - optind, argv + optind);
	if (count == 0 || rounds < 1 || rounds > ROUNDS_MAX || warm_ups < 0) {
		fputs(usage, stderr);
		return 2;
	}
	if (cpu >= 0 && !pin(cpu))
		perror("paired: cannot pin to one CPU, going on without");
	if (!run_all(commands, count, warm_ups, rounds, &busy))
		return 1;
	for (int i = 0; i < count; i++)
		print_times(&commands[i], rounds);
	for (int i = 1; i < count; i++)
		print_ratio(&commands[0], &commands[i], rounds);
	printf("busy %.2f\n", busy < 0 ? 0 : busy);
	return fflush(stdout) == 0 ? 0 : 1;
}
