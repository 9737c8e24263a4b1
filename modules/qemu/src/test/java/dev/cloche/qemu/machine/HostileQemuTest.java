package dev.cloche.qemu.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.guard.GuardBinary;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.IsolationRecord;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.IsolationChoice;
import dev.cloche.qemu.snapshot.QemuContext;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.ManagedVm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What comes of a QEMU that its guest has broken into, with a program in its place that has all of its descriptors and walls,
 * speaks its protocols as long as that is of use, and then does what it likes.
 */
class HostileQemuTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(1);

    private static Path guard = Path.of("");
    /** Takes the time of a busy host for no silence. */
    private static Path patientGuard = Path.of("");

    private static Path hostile = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        guard = GuardBinary.compileHasty();
        patientGuard = GuardBinary.compile();
        hostile = GuardBinary.compileHostile();
    }

    /** What is left of a start that came to nothing. */
    private record Left(VmExit exit, String console, VmIsolation walls, Path directory) {}

    /** @param patience of its owner with a guest that says no hello */
    private Left start(String mode, Duration patience) throws IOException {
        return start(mode, patience, guard);
    }

    private Left start(String mode, Duration patience, Path guard) throws IOException {
        return start(mode, patience, guard, false);
    }

    private Left start(String mode, Duration patience, Path guard, boolean alarmEnds) throws IOException {
        Path disk = Files.writeString(directory.resolve("disk, of a mode"), mode);
        Path file = Files.createFile(directory.resolve("file"));
        KernelProperties properties = new KernelProperties("small", "6.1.9-cloche", false, List.of());
        VmResources resources = new VmResources(hostile, guard, file, new KernelImage(file, file, properties));
        HostCapabilities host = new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, "max", true, "because"), OptionalLong.empty());
        VmLayout layout = VmLayout.of(directory.resolve("state"));
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(disk));
        Path vmDirectory = layout.directory(spec.id());
        Files.createDirectory(vmDirectory);
        QemuBackend backend = new QemuBackend(
                spec,
                QemuContext.of(
                        layout,
                        resources,
                        new IsolationChoice(Map.of(), Optional::empty, () -> alarmEnds),
                        VmLimits.Group.None::new,
                        () -> host),
                VmDirectory.own(layout, spec.id()));
        BootPolicy once = new BootPolicy(1, patience);
        try (Vm vm = ManagedVm.created(spec, backend, once, _ -> {})) {
            assertThatThrownBy(() -> vm.start(Deadline.after(Duration.ofMinutes(5))))
                    .isInstanceOf(VmException.class);
            VmIsolation walls = IsolationRecord.read(vmDirectory);
            Assumptions.assumeTrue(walls.level().compareTo(VmIsolation.Level.SEALED) >= 0, walls.missing());
            GuardFiles files = new GuardFiles(vmDirectory);
            String console = Files.readString(files.console());
            assertThat(console).doesNotContain("OPEN", "BROKEN");
            Left left = new Left(files.exitOrLost(), console, walls, vmDirectory);
            for (String log : List.of("console.log", "console.log.1")) {
                Path kept = vmDirectory.resolve(log);
                assertThat(Files.exists(kept) ? Files.size(kept) : 0).isLessThanOrEqualTo(128 << 10);
            }
            vm.destroy();
            return left;
        } finally {
            Files.deleteIfExists(layout.runtimeDirectory());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"attacks", "calls", "traces", "lingers"})
    void whatNoQemuTriesEndsItAndThatIsACrash(String mode) throws IOException {
        Left left = start(mode, LONG, patientGuard);
        assertThat(left.exit().cause()).isEqualTo(VmExit.Cause.ISOLATION);
        assertThat(left.exit().crashed()).isTrue();
        assertThat(left.console()).contains("begun");
    }

    @Test
    void oneRefusedCallIsNotedAndItGoesOn() throws IOException {
        Left left = start("once", LONG, patientGuard);
        assertThat(left.exit().cause()).isEqualTo(VmExit.Cause.EXITED);
        assertThat(left.console()).contains("went on");
        assertThat(left.walls().denied()).isOne();
    }

    @Test
    void oneRefusedCallEndsItWhereTheAlarmIsToStopIt() throws IOException {
        Left left = start("stays", LONG, patientGuard, true);
        assertThat(left.exit().cause()).isEqualTo(VmExit.Cause.ISOLATION);
        assertThat(left.exit().crashed()).isTrue();
        assertThat(left.walls().denied()).isOne();
    }

    @Test
    void whatItTriedIsNotedAndAllOfItWasShut() throws IOException {
        Left left = start("attacks", LONG, patientGuard);
        assertThat(left.console()).contains("attacked");
        assertThat(left.walls().denied()).isBetween(16, 64);
    }

    @ParameterizedTest
    @ValueSource(strings = {"floods", "lies", "babbles"})
    void itsGuardBearsWhatItSaysAndEndsItWhenItIsTold(String mode) throws IOException {
        Left left = start(mode, SHORT);
        assertThat(left.exit().cause()).isEqualTo(VmExit.Cause.KILLED);
        assertThat(left.exit().goodbye()).isEmpty();
        assertThat(left.walls().denied()).isZero();
    }

    @Test
    void oneThatNeverAnswersItsGuardIsEndedToo() throws IOException {
        assertThat(start("silent", SHORT).exit().cause()).isEqualTo(VmExit.Cause.KILLED);
    }
}
