package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.machine.KeptSnapshot;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The memory of machines on disk, and what else is kept and copied of them. */
class MachineMemoryIT extends MachinesInVms {
    @Test
    void aSuspendedMachineGoesOnWhereItWasAndARunningOneIsClonedAndGrown() {
        small("one").make();
        try (Machine machine = machines.start("one")) {
            beginCounter(machine);
            Awaitility.await().until(() -> counter(machine) > 5);
            machine.files().writeString("/root/data", "kept");
            long before = blocks(machine);
            assertThat(machines.change("one", new MachineChange().diskGib(2)).atNextStart())
                    .isFalse();
            assertThat(blocks(machine)).isGreaterThan(before + before / 2);
        }
        machines.copy("one", "two", false);
        long reached;
        try (Machine machine = machines.connect("one")) {
            reached = counter(machine);
        }
        machines.suspend("one");
        assertThat(machines.get("one").state()).isEqualTo(MachineState.SUSPENDED);

        try (Machine two = machines.start("two");
                Machine one = machines.start("one")) {
            assertThat(counter(one)).isGreaterThanOrEqualTo(reached);
            long now = counter(one);
            Awaitility.await().until(() -> counter(one) > now);
            assertThat(two.files().readString("/root/data")).isEqualTo("kept");
            assertThat(two.exec("hostname").stdoutText()).isEqualTo("two\n");
            assertThat(two.files().readString("/etc/machine-id"))
                    .isNotEqualTo(one.files().readString("/etc/machine-id"));
            assertThat(two.exec("test", "-e", "/dev/shm/c/n").exitCode()).isNotZero();
        }

        // A clone with memory goes on from there too, as another machine.
        MachineInfo three = machines.copy("one", "three", true);
        assertThat(three.state()).isEqualTo(MachineState.SUSPENDED);
        try (Machine twin = machines.start("three")) {
            assertThat(counter(twin)).isGreaterThanOrEqualTo(reached);
            long now = counter(twin);
            Awaitility.await().until(() -> counter(twin) > now);
            assertThat(twin.exec("hostname").stdoutText()).isEqualTo("three\n");
        }

        // A stop gives the memory of a suspended one up.
        machines.suspend("one");
        machines.stop("one", GRACE);
        assertThat(machines.get("one").state()).isEqualTo(MachineState.STOPPED);
        try (Machine one = machines.start("one")) {
            assertThat(one.exec("test", "-e", "/dev/shm/c/n").exitCode()).isNotZero();
            assertThat(one.files().readString("/root/data")).isEqualTo("kept");
        }
    }

    @Test
    void aSnapshotBringsBackWhatWasThereWithItsMemoryIfThatWasKept() {
        small("one").make();
        try (Machine machine = machines.start("one")) {
            machine.files().writeString("/root/data", "first");
            machine.files().writeString("/dev/shm/memory", "kept");
            machines.snapshot("one", "with-memory", true);
            machine.files().writeString("/root/data", "second");
            machines.snapshot("one", "disk", false);
            machine.files().writeString("/root/data", "third");
        }
        assertThat(machines.snapshots("one"))
                .extracting(KeptSnapshot::name, KeptSnapshot::memory)
                .containsExactly(tuple(new MachineName("disk"), false), tuple(new MachineName("with-memory"), true));
        assertThatThrownBy(() -> machines.restore("one", "disk")).hasMessageContaining("runs");
        machines.stop("one", GRACE);
        machines.restore("one", "disk");
        try (Machine machine = machines.start("one")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("second");
        }
        machines.stop("one", Duration.ZERO);
        machines.restore("one", "with-memory");
        assertThat(machines.get("one").state()).isEqualTo(MachineState.SUSPENDED);
        try (Machine machine = machines.start("one")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("first");
            assertThat(machine.files().readString("/dev/shm/memory")).isEqualTo("kept");
        }
        machines.stop("one", Duration.ZERO);
        assertThat(machines.removeSnapshot("one", "with-memory")).isTrue();
        assertThat(machines.removeSnapshot("one", "with-memory")).isFalse();
    }

    /** No program of the host looks for a file system on the disk of a guest, which may have written anything there. */
    @Test
    void aDiskThatItsGuestHasRuinedIsKeptCopiedGrownAndExportedLikeAnyOther() {
        small("one").make();
        try (Machine machine = machines.start("one")) {
            String ruin = "for d in /sys/block/vd*; do if grep -q cloche-upper $d/serial; then"
                    + " head -c 8388608 /dev/urandom >/dev/${d##*/} && sync && echo ruined; fi; done";
            assertThat(machine.exec("sh", "-c", ruin).stdoutText()).isEqualTo("ruined\n");
        }
        machines.stop("one", Duration.ZERO);
        machines.snapshot("one", "ruined", false);
        assertThat(machines.copy("one", "two", false).state()).isEqualTo(MachineState.STOPPED);
        machines.change("one", new MachineChange().diskGib(2));
        machines.export("one", home.resolve("one.tar.zst"));
        machines.restore("one", "ruined");
        assertThat(machines.get("one").diskGib()).isEqualTo(1);
    }

    private static long blocks(Machine machine) {
        return Long.parseLong(machine.exec("sh", "-c", "df -k / | tail -n1 | awk '{print $2}'")
                .stdoutText()
                .strip());
    }
}
