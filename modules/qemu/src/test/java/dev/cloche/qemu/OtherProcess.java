package dev.cloche.qemu;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A second process for tests: owns or uses a VM, says {@code ready}, and waits until it is killed. */
final class OtherProcess {
    private OtherProcess() {}

    public static void main(String[] arguments) throws IOException {
        VmLayout layout = VmLayout.of(Path.of(arguments[0]));
        QemuProvider provider = new QemuProvider(layout, VmResources.find(List.of(Path.of(arguments[1]))));
        VmId id = new VmId(arguments[3]);
        Deadline deadline = Deadline.after(Duration.ofMinutes(5));
        if (arguments[2].equals("own")) {
            VmSpec spec =
                    VmSpec.of(id, RootDisk.raw(Path.of(arguments[4]))).withAttached(arguments[5].equals("attached"));
            Duration grace = Duration.ofMillis(Long.parseLong(arguments[6]));
            provider.create(OwnerGrace.of(grace, spec)).start(deadline);
        } else if (arguments[2].equals("plug in by half")) {
            LockFile _ = LockFile.tryLock(layout.portLock(id, 1)).orElseThrow();
            var _ = new QemuMonitor(layout, id).converse(deadline, qemu -> {
                new ClientPort(layout, id, 1).listen(qemu);
                ready();
                return true;
            });
        } else if (arguments[2].equals("restore detached")) {
            SnapshotRef snapshot =
                    provider.snapshot(new SnapshotName(arguments[4])).orElseThrow();
            provider.create(VmSpec.restored(id, snapshot).withAttached(false)).start(deadline);
        } else if (arguments[2].equals("make a template")) {
            VmSpec spec = VmSpec.of(id, RootDisk.raw(Path.of(arguments[4]))).asTemplateMaker();
            Vm maker = provider.create(OwnerGrace.of(Duration.ofMillis(200), spec));
            maker.start(deadline);
            System.out.println("started");
            var _ = maker.snapshot(new SnapshotName(arguments[5]), deadline);
        } else if (arguments[2].equals("adopt")) {
            adopt(provider, id, deadline).guest().ping(deadline);
        } else {
            provider.connect(id, deadline).guest().ping(deadline);
        }
        ready();
    }

    /** Says {@code waits} if it has an owner, and goes on until that is gone. */
    private static Vm adopt(QemuProvider provider, VmId id, Deadline deadline) {
        for (boolean said = false; ; said = true) {
            try {
                return provider.adopt(id, deadline);
            } catch (VmException.Busy owned) {
                if (deadline.passed()) {
                    throw owned;
                }
                if (!said) {
                    System.out.println("waits");
                }
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
    }

    private static void ready() {
        System.out.println("ready");
        while (true) {
            LockSupport.park();
        }
    }
}
