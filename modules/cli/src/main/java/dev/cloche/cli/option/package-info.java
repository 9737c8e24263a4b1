/** Parses options and values that several commands share. */
@NullMarked
package dev.cloche.cli.option;

import org.jspecify.annotations.NullMarked;
