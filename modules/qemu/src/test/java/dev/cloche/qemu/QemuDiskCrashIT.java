package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.disk.QemuDisk;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.Vm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A persistent disk whose VM, QEMU included, is killed at each step of what a snapshot does to its layers: it draws them
 * together where one more would be too many, and begins a new one (docs/vm.md). After a kill at any step, the next VM finds
 * all that was flushed, and so do a copy in one file and the next snapshot.
 */
class QemuDiskCrashIT extends QemuTest {
    /** The steps, in their order; each does those before it too. */
    enum Step {
        LAYERS_ARE_BEING_DRAWN_TOGETHER,
        LAYERS_ARE_DRAWN_TOGETHER,
        ONE_LAYER_IS_REMOVED,
        ALL_SUPERFLUOUS_LAYERS_ARE_REMOVED,
        THE_LAYERS_ARE_SHARED_WITH_THE_SNAPSHOT,
        A_LAYER_IS_BEGUN,
        THE_GUEST_WRITES_TO_IT;

        boolean has(Step step) {
            return compareTo(step) >= 0;
        }
    }

    /** Bytes a second, so that 2 MiB take longer than the test. */
    private static final int SLOW = 4096;

    private final List<String> written = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(Step.class)
    void aDiskIsWholeWhereverItsVmIsKilled(Step step) throws IOException {
        PersistentDisk home = provider.disks().create(fixture.stateRoot().resolve("home"), 256);
        try (Vm vm = on(home)) {
            for (int i = 1; i < DiskChain.MAX_LAYERS; i++) {
                write(vm);
                snapshot(vm, "s" + i);
            }
            write(vm);
            assertThat(DiskChain.layers(home.directory())).hasSize(DiskChain.MAX_LAYERS);
            go(step, vm, home);
            vm.kill(soon());
            vm.destroy();
        }
        Path raw = fixture.stateRoot().resolve("raw");
        provider.disks().flatten(home.directory(), raw);
        PersistentDisk flat = provider.disks().create(fixture.stateRoot().resolve("flat"), raw);
        for (PersistentDisk disk : List.of(flat, home)) {
            try (Vm vm = on(disk)) {
                assertThat(shell(vm, "cat /root/file*").lines()).containsExactlyElementsOf(written);
                snapshot(vm, "after-" + disk.directory().getFileName());
                vm.kill(soon());
                vm.destroy();
            }
            assertThat(DiskChain.layers(disk.directory())).hasSizeLessThanOrEqualTo(DiskChain.MAX_LAYERS);
        }
    }

    private Vm on(PersistentDisk disk) {
        Vm vm = provider.create(spec().withWritable(disk.layer()));
        vm.start(soon());
        return vm;
    }

    /** Something that is flushed, and enough beside it that drawing it together takes its time. */
    private void write(Vm vm) throws IOException {
        String text = "written " + written.size();
        written.add(text);
        assertThat(shell(
                        vm,
                        "echo " + text + " > /root/file" + written.size() + "; busybox dd if=/dev/urandom of=/root/bulk"
                                + written.size() + " bs=1M count=1 2>/dev/null; busybox sync"))
                .isEmpty();
    }

    /** What {@link QemuDisk} does, up to a step. */
    private void go(Step step, Vm vm, PersistentDisk home) throws IOException {
        QemuMonitor monitor = new QemuMonitor(fixture.layout(), vm.id());
        DiskChain chain =
                DiskChain.persistent(home.directory(), new DiskTools(resources.qemu(), resources.formatter()));
        monitor.converse(soon(), qemu -> {
            boolean slowly = !step.has(Step.LAYERS_ARE_DRAWN_TOGETHER);
            drawTogether(qemu, chain, slowly);
            if (slowly) {
                return "";
            }
            var _ = qemu.event("BLOCK_JOB_COMPLETED");
            if (step == Step.ONE_LAYER_IS_REMOVED) {
                var _ = qemu.execute(QmpCommand.of("stop"));
                Files.delete(chain.layers().get(1));
            }
            if (step.has(Step.ALL_SUPERFLUOUS_LAYERS_ARE_REMOVED)) {
                var _ = qemu.execute(QmpCommand.of("stop"));
                chain.forgetMiddle();
            }
            if (step.has(Step.THE_LAYERS_ARE_SHARED_WITH_THE_SNAPSHOT)) {
                chain.share(Files.createDirectory(fixture.stateRoot().resolve("draft")));
            }
            if (step.has(Step.A_LAYER_IS_BEGUN)) {
                Path next = chain.addLayer(home.sizeMiB());
                if (step.has(Step.THE_GUEST_WRITES_TO_IT)) {
                    var _ = qemu.execute(new QmpCommand(
                            "blockdev-snapshot-sync",
                            Map.of(
                                    "device",
                                    QemuDisk.DEVICE,
                                    "snapshot-file",
                                    next.toString(),
                                    "format",
                                    "qcow2",
                                    "mode",
                                    "existing")));
                    var _ = qemu.execute(QmpCommand.of("cont"));
                }
            }
            return "";
        });
        if (step.has(Step.THE_GUEST_WRITES_TO_IT)) {
            write(vm);
        }
    }

    private static void drawTogether(QmpConnection qemu, DiskChain chain, boolean slowly) throws IOException {
        Path lowest = chain.layers().getFirst();
        Map<String, Object> arguments = new HashMap<>(Map.of(
                "device",
                QemuDisk.DEVICE,
                "base",
                lowest.toString(),
                "backing-file",
                lowest.getFileName().toString()));
        if (slowly) {
            arguments.put("speed", SLOW);
        }
        var _ = qemu.execute(new QmpCommand("block-stream", arguments));
    }
}
