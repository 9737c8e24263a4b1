package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineEvent.Kind;
import dev.cloche.machine.MachineState;
import dev.cloche.vm.FileInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Named machines in real VMs, as users of the library have them. */
class MachineIT extends MachinesInVms {
    @Test
    void whatIsWrittenIsThereAtTheNextStartAndTheScriptRunsOnce() throws IOException {
        Path script = Files.writeString(home.resolve("setup.sh"), "#!/bin/sh\necho once >>/root/provisioned\n");
        MachineInfo made = small("dev")
                .environment("GREETING", "hello")
                .label("team", "x")
                .provision(script)
                .make();
        assertThat(made.state()).isEqualTo(MachineState.CREATED);
        assertThat(made.directory().resolve("config.toml")).content().contains("image = \"base\"");

        String id;
        try (Machine machine = machines.start("dev")) {
            assertThat(machine.exec("sh", "-c", "echo $GREETING; hostname").stdoutText())
                    .isEqualTo("hello\ndev\n");
            machine.files().writeString("/root/data", "kept");
            FileInfo.Change change = FileInfo.Change.NONE
                    .withOwner("nobody")
                    .withAttribute("user.origin", new byte[] {1, 0, 2})
                    .withAttribute("user.empty", new byte[0]);
            machine.files().change("/root/data", change);
            machine.files().change("/root/data", FileInfo.Change.NONE.withoutAttribute("user.empty"));
            assertThat(machine.exec("sync").exitCode()).isZero();
            id = machine.files().readString("/etc/machine-id");
        }
        // Another handle, as another process has it.
        try (Machine machine = machines.connect("dev")) {
            assertThat(machine.files().readString("/root/provisioned")).isEqualTo("once\n");
        }
        assertThat(machines.get("dev").state()).isEqualTo(MachineState.RUNNING);
        assertThat(machines.get("dev").provisionedAt()).isPresent();
        assertThatThrownBy(() -> machines.remove("dev", false)).hasMessageContaining("runs");
        assertThatThrownBy(() -> machines.rename("dev", "ops")).hasMessageContaining("runs");

        machines.stop("dev", GRACE);
        assertThat(machines.get("dev").state()).isEqualTo(MachineState.STOPPED);
        assertThatThrownBy(() -> machines.connect("dev"))
                .isInstanceOfSatisfying(
                        ClocheException.class,
                        stopped -> assertThat(stopped.code()).isEqualTo("machine.state"));
        machines.rename("dev", "ops");
        // The script that it has does nothing, another one runs once.
        Path wanted = Files.writeString(home.resolve("ops.toml"), "name = \"ops\"\nprovision = \"setup.sh\"\n");
        machines.apply(wanted, PullListener.none());
        assertThat(machines.get("ops").provisionedAt()).isPresent();
        Files.writeString(script, "#!/bin/sh\necho more >>/root/provisioned\n");
        machines.apply(wanted, PullListener.none());
        assertThat(machines.get("ops").provisionedAt()).isEmpty();

        try (Machine machine = machines.start("ops")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("kept");
            FileInfo.Details data = machine.files().details("/root/data");
            assertThat(data.owner()).hasValue("nobody");
            assertThat(data.attributes()).containsOnlyKeys("user.origin");
            assertThat(data.attributes().get("user.origin")).containsExactly(1, 0, 2);
            assertThat(machine.files().readString("/root/provisioned")).isEqualTo("once\nmore\n");
            assertThat(machine.files().readString("/etc/machine-id")).isEqualTo(id);
        }
        machines.stop("ops", Duration.ZERO);
        assertThat(machines.events())
                .extracting(MachineEvent::kind)
                .containsSubsequence(
                        Kind.CREATED,
                        Kind.STARTING,
                        Kind.PROVISIONING,
                        Kind.STARTED,
                        Kind.STOPPED,
                        Kind.RENAMED,
                        Kind.STARTED);
    }

    @Test
    void anExportMadeAMachineAgainOnAnotherStateRootHasTheSameFiles() throws Exception {
        small("one").label("a", "b").make();
        String sums = "cd /root && head -c 3000000 /dev/urandom >noise && ln -s noise link && sha256sum noise link";
        String before;
        try (Machine machine = machines.start("one")) {
            before = machine.exec("sh", "-c", sums).stdoutText();
            // A layer above the bottom of the disk.
            machines.snapshot("one", "before", false);
            machine.files().writeString("/root/later", "too");
        }
        Path archive = home.resolve("one.tar.zst");
        assertThatThrownBy(() -> machines.export("one", archive)).hasMessageContaining("runs");
        machines.stop("one", GRACE);
        machines.export("one", archive);
        assertThatThrownBy(() -> machines.export("one", archive)).hasMessageContaining("already");

        byte[] damaged = Files.readAllBytes(archive);
        damaged[damaged.length / 2] ^= 1;
        Path broken = Files.write(home.resolve("broken.tar.zst"), damaged);
        try (Cloche other = opened(home.resolve("other"))) {
            Machines there = other.machines();
            assertThatThrownBy(() -> there.importFrom(broken, PullListener.none()))
                    .isInstanceOfSatisfying(
                            ClocheException.class, bad -> assertThat(bad.code()).isEqualTo("machine.archive"));
            try (Stream<Path> left = Files.list(home.resolve("other/machines"))) {
                assertThat(left).noneMatch(path -> path.getFileName().toString().startsWith(".making"));
            }
            MachineInfo imported = there.importFrom(archive, "two", PullListener.none());
            assertThat(imported.labels()).containsEntry("a", "b");
            try (Machine machine = there.start("two")) {
                assertThat(machine.exec("sh", "-c", "cd /root && sha256sum noise link")
                                .stdoutText())
                        .isEqualTo(before);
                assertThat(machine.files().readString("/root/later")).isEqualTo("too");
            }
            there.remove("two", true);
        }
    }
}
