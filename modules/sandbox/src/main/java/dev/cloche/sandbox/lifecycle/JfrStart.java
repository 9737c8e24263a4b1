package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.OperationEvent;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.vm.VmId;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Records the start of a sandbox for Flight Recorder. */
@Name("dev.cloche.Start")
@Label("Sandbox Start")
@Description("A sandbox from the request to a guest that answers")
final class JfrStart extends OperationEvent<SandboxOperation.Start> {
    @Label("Sandbox")
    @Nullable
    String sandbox;

    @Label("Sandbox Id")
    @Description("0 if it was refused, for example because its name is taken")
    long sandboxId;

    @Label("VM")
    @Nullable
    String vm;

    @Label("Image")
    @Nullable
    String image;

    @Label("Kind")
    @Description("WARM: ready in a pool; RESTORED: from a template or a snapshot; COLD: booted")
    @Nullable
    String kind;

    @Label("Why Not Warm")
    @Description("Why it did not come from the pool of its image and size, if there is such a pool")
    @Nullable
    String notWarm;

    @Label("Image Time")
    @Description("To find and, where needed, pull the image")
    @Timespan(Timespan.NANOSECONDS)
    long imageTime;

    @Label("Boot Time")
    @Description("From the start of the VM to the acknowledged identity of its guest")
    @Timespan(Timespan.NANOSECONDS)
    long bootTime;

    @Override
    protected void describe(SandboxOperation.Start start) {
        sandbox = start.sandbox();
        sandboxId = start.sandboxId();
        vm = start.vm().map(VmId::toString).orElse(null);
        image = start.image();
        start.timings().ifPresent(this::describe);
    }

    private void describe(StartTimings timings) {
        kind = timings.kind().name();
        notWarm = timings.notWarm().orElse(null);
        imageTime = timings.image().toNanos();
        bootTime = timings.boot().toNanos();
    }
}
