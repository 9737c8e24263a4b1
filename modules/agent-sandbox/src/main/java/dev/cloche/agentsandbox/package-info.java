/** Shows sandboxes as those of agent-sandbox-core, one Java interface over many kinds of them. */
@Incubating
@NullMarked
package dev.cloche.agentsandbox;

import dev.cloche.base.Incubating;
import org.jspecify.annotations.NullMarked;
