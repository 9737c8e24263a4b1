/** Reads, checks and writes the files of machines: which directory is whose, and what is in its TOML. */
@NullMarked
package dev.cloche.machine.config;

import org.jspecify.annotations.NullMarked;
