/** Keeps the directories of persistent disks: records, locks, creation and removal. */
@NullMarked
package dev.cloche.vmm.disk;

import org.jspecify.annotations.NullMarked;
