/** The command line: parses, calls the library, prints. No logic of its own. */
@NullMarked
package dev.cloche.cli;

import org.jspecify.annotations.NullMarked;
