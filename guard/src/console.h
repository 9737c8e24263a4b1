/* The console log, of bounded size whatever the guest prints. */
#pragma once

struct console {
    int directory;
    int file; /* -1 while it cannot be written */
    long size;
};

/* Begins an empty log, without the one of an earlier run. */
struct console console_open(int directory);

/* Moves what is in the pipe now, up to one buffer; a log that cannot be written loses bytes and blocks nobody.
 * Answers how many bytes were taken, 0 if the pipe is empty for now, -1 at its end. */
long console_take(struct console *console, int pipe);
