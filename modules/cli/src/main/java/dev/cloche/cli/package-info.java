/** The command line. */
@NullMarked
package dev.cloche.cli;

import org.jspecify.annotations.NullMarked;
