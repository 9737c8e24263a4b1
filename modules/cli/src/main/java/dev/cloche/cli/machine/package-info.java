/** Has the commands of {@code machine}. */
@NullMarked
package dev.cloche.cli.machine;

import org.jspecify.annotations.NullMarked;
