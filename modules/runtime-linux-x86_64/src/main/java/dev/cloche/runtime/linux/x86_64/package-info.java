/** Brings what VMs are made with to applications on the module path. */
@NullMarked
package dev.cloche.runtime.linux.x86_64;

import org.jspecify.annotations.NullMarked;
