/*
 * Signals that end a run: what it has half written goes with it.
 */
#ifndef RT_CLI_INTERRUPT_H
#define RT_CLI_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP take away the temporary files first, and then end the
 * process as they always do. Before any other thread is made. Without a thread for it they end the
 * process at once, and the next run on the same target takes the files away.
 */
void cli_interrupt_begin(void);

#endif
