package dev.cloche.vmm;

import dev.cloche.base.OperationEvent;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** Records the restore of a VM for Flight Recorder. */
@Name("dev.cloche.Restore")
@Label("VM Restore")
@Description("A VM from its snapshot or template to a guest that answers: of a sandbox, a machine or a pool")
final class JfrRestore extends OperationEvent<VmRestore> {
    @Label("VM")
    @Nullable
    String vm;

    @Label("Snapshot")
    @Nullable
    String snapshot;

    @Label("Kind")
    @Description("MAPPED: its memory is mapped as the guest reads it; STREAMED: all of it is read")
    @Nullable
    String kind;

    @Label("Memory")
    @DataAmount
    long memory;

    @Override
    protected void describe(VmRestore restore) {
        vm = restore.vm().toString();
        snapshot = restore.snapshot().name().value();
        kind = restore.snapshot().kind().name();
        memory = (long) restore.snapshot().memoryMiB() << 20;
    }
}
