package dev.cloche.vmm;

import dev.cloche.base.Operation;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;

/** Describes the restore of a VM that has ended. */
record VmRestore(VmId vm, SnapshotRef snapshot, Duration took, Optional<String> failure) implements Operation {}
