/** Shows sandboxes as those of agent-sandbox-core, one Java interface over many kinds of them. */
@NullMarked
package dev.cloche.agentsandbox;

import org.jspecify.annotations.NullMarked;
