/** Has the commands of {@code process}, for durable commands. */
@NullMarked
package dev.cloche.cli.process;

import org.jspecify.annotations.NullMarked;
