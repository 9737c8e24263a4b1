/** Has the commands that look after the host: {@code doctor}, {@code maintain}, {@code keep}, {@code catalog}. */
@NullMarked
package dev.cloche.cli.host;

import org.jspecify.annotations.NullMarked;
