/** Speaks to a guest: requests, executions and their windows, files and copies. */
@NullMarked
package dev.cloche.vmm.channel;

import org.jspecify.annotations.NullMarked;
