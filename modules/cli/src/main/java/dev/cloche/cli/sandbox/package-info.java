/** Has the commands of sandboxes and of their snapshots. */
@NullMarked
package dev.cloche.cli.sandbox;

import org.jspecify.annotations.NullMarked;
