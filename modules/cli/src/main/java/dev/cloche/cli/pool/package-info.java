/** Has the commands of {@code pool} and {@code template}, and says how a command has both made in the background. */
@NullMarked
package dev.cloche.cli.pool;

import org.jspecify.annotations.NullMarked;
