package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.qemu.QemuProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What a process does with machines until it is killed. */
enum KillScenario {
    /** MachineManager that come and go without having run. */
    MADE {
        @Override
        void play(KillRuntime runtime) throws Exception {
            MachineManager machines = runtime.machines();
            create(runtime, ONE);
            machines.snapshot(ONE, SNAPSHOT, false, soon());
            machines.copy(ONE, TWO, false, soon());
            machines.restore(TWO, snapshotOf(runtime), soon());
            if (runtime.vms() instanceof QemuProvider) {
                Path archive = runtime.home().resolve("archive");
                machines.export(ONE, archive, soon());
                machines.importFrom(archive, Optional.of(THREE), PullListener.none(), soon());
            } else {
                create(runtime, THREE);
            }
            machines.rename(THREE, FOUR, soon());
            machines.removeSnapshot(ONE, SNAPSHOT, soon());
            Path copy = Files.createDirectory(runtime.base().resolve(THREE.value()));
            Files.copy(runtime.base().resolve("four/config.toml"), copy.resolve("config.toml"));
            machines.adopt(THREE, PullListener.none(), soon());
            for (MachineName name : new MachineName[] {ONE, TWO, THREE, FOUR}) {
                machines.remove(name, false, soon());
            }
        }

        private MachineName snapshotOf(KillRuntime runtime) {
            runtime.machines().snapshot(TWO, SNAPSHOT, false, soon());
            return SNAPSHOT;
        }
    },
    /** A machine that runs, sleeps, and is cloned with its memory. */
    LIVED {
        @Override
        void arrange(KillRuntime runtime) {
            create(runtime, ONE);
        }

        @Override
        void play(KillRuntime runtime) {
            MachineManager machines = runtime.machines();
            start(runtime, ONE);
            machines.snapshot(ONE, SNAPSHOT, true, soon());
            machines.copy(ONE, TWO, true, soon());
            machines.suspend(ONE, soon());
            start(runtime, ONE);
            machines.copy(ONE, THREE, false, soon());
            machines.stop(ONE, Duration.ofSeconds(5), soon());
            machines.restore(ONE, SNAPSHOT, soon());
            start(runtime, ONE);
            machines.remove(ONE, true, soon());
            machines.remove(TWO, true, soon());
        }
    };

    static final MachineName ONE = new MachineName("one");
    static final MachineName TWO = new MachineName("two");
    static final MachineName THREE = new MachineName("three");
    static final MachineName FOUR = new MachineName("four");
    private static final MachineName SNAPSHOT = new MachineName("snap");

    /** What the process does before it can be killed. */
    void arrange(KillRuntime runtime) {}

    abstract void play(KillRuntime runtime) throws Exception;

    static void create(KillRuntime runtime, MachineName name) {
        runtime.machines()
                .create(
                        NewMachine.of(name, "base").withResources(new MachineResources(1, 256, 1)),
                        PullListener.none(),
                        soon());
    }

    private static void start(KillRuntime runtime, MachineName name) {
        runtime.machines()
                .start(name, Duration.ZERO, PullListener.none(), soon())
                .close();
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }
}
