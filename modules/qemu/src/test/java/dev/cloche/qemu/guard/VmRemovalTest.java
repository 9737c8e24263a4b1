package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.machine.QemuPool;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmRemovalTest {
    private static final VmId ID = new VmId("0123456789abcdef");

    @TempDir
    Path root;

    @Test
    void aVmIsRemovedWithAllItsFiles() throws IOException {
        VmLayout layout = withVm(ID);
        new VmRemoval(layout).remove(ID);
        assertThat(layout.vms()).isEmptyDirectory();
    }

    @Test
    void whatIsGoneIsRemovedAgainWithoutHarm() throws IOException {
        VmLayout layout = withVm(ID);
        new VmRemoval(layout).remove(ID);
        new VmRemoval(layout).remove(ID);
        assertThat(layout.vms()).isEmptyDirectory();
    }

    @Test
    void aRemovalThatWasKilledLeavesNoVmAndIsFinishedByTheNext() throws IOException {
        VmLayout layout = withVm(ID);
        Files.move(layout.directory(ID), layout.vms().resolve(".gone-" + ID));
        assertThat(new VmDirectory(layout).list()).isEmpty();

        VmId other = VmId.random();
        withVm(other);
        new VmRemoval(layout).remove(other);
        assertThat(layout.vms()).isEmptyDirectory();
    }

    @Test
    void aLookForPoolEntriesFinishesItToo() throws IOException {
        VmLayout layout = withVm(ID);
        Files.move(layout.directory(ID), layout.vms().resolve(".gone-" + ID));
        assertThat(new QemuPool(layout).list(Instant.now())).isEmpty();
        assertThat(layout.vms()).isEmptyDirectory();
    }

    @Test
    void aVmThatIsRemovedWhileItIsLookedAtIsThereOrNot() throws Exception {
        try (var looks = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 300; round++) {
                VmLayout layout = withVm(ID);
                Path directory = layout.directory(ID);
                Files.writeString(
                        directory.resolve("guard.json"),
                        "{\"version\":1,\"pid\":4711,\"startTime\":1,\"bootId\":\"b\"}");
                var looking = looks.submit(() -> {
                    VmDirectory vms = new VmDirectory(layout);
                    while (vms.get(ID).isPresent()) {
                        Thread.onSpinWait();
                    }
                    return true;
                });
                new VmRemoval(layout).remove(ID);
                assertThat(looking.get()).isTrue();
            }
        }
    }

    @Test
    void severalRemoveOneVmAtOnce() throws Exception {
        VmLayout layout = withVm(ID);
        try (var several = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Void> removal = () -> {
                new VmRemoval(layout).remove(ID);
                return null;
            };
            for (var done : several.invokeAll(
                    IntStream.range(0, 8).mapToObj(i -> removal).toList())) {
                done.get();
            }
        }
        assertThat(layout.vms()).isEmptyDirectory();
    }

    private VmLayout withVm(VmId id) throws IOException {
        VmLayout layout = VmLayout.of(root);
        Path directory = Files.createDirectories(layout.directory(id));
        for (String file : new String[] {VmLayout.OWNER_LOCK, "spec.json", "pool.json"}) {
            Files.writeString(directory.resolve(file), "x");
        }
        return layout;
    }
}
