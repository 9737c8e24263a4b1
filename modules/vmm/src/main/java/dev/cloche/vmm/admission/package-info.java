/** Keeps the ledger of what VMs claim of their host: rules without I/O, files and locks. No database. */
@NullMarked
package dev.cloche.vmm.admission;

import org.jspecify.annotations.NullMarked;
