package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A second process for tests: owns or uses a VM, says {@code ready}, and waits until it is killed. */
final class OtherProcess {
    private OtherProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        VmLayout layout = VmLayout.of(Path.of(arguments[0]));
        QemuProvider provider = new QemuProvider(layout, VmResources.find(List.of(Path.of(arguments[1]))));
        VmId id = new VmId(arguments[3]);
        Deadline deadline = Deadline.after(Duration.ofSeconds(60));
        if (arguments[2].equals("own")) {
            VmSpec spec = VmSpec.of(id, RootDisk.raw(Path.of(arguments[4])))
                    .withAttached(arguments[5].equals("attached"))
                    .withOwnerGrace(Duration.ofMillis(200));
            provider.create(spec).start(deadline);
        } else {
            provider.connect(id, deadline).guest().ping(deadline);
        }
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
