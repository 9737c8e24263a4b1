/** Makes, starts, suspends, recovers and removes machines, and holds their files against what runs. */
@NullMarked
package dev.cloche.machine.lifecycle;

import org.jspecify.annotations.NullMarked;
