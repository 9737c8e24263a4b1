/** Makes VMs ready, hands them to those that ask, and destroys what is left over. */
@NullMarked
package dev.cloche.pool.provision;

import org.jspecify.annotations.NullMarked;
