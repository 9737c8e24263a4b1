/** Asks what serves in a guest whether it is ready: a port, a page. */
@NullMarked
package dev.cloche.vm.ready;

import org.jspecify.annotations.NullMarked;
