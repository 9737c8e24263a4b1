/** Reads from and writes to the shell: streams, terminals, signals, tables, JSON, errors and exit codes. */
@NullMarked
package dev.cloche.cli.terminal;

import org.jspecify.annotations.NullMarked;
