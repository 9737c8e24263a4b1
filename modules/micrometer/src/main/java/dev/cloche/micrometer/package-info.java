/** Puts what an application does with sandboxes into the meters and traces of Micrometer. */
@NullMarked
package dev.cloche.micrometer;

import org.jspecify.annotations.NullMarked;
