package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.DiskException;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.WritableLayer.Throttle;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of disks that outlive VMs. */
public interface VmDiskContract extends VmFixture {
    /** Returns where disks may be made. */
    Path hostDirectory();

    private Path place(String name) {
        return hostDirectory().toAbsolutePath().resolve("disk-" + name);
    }

    private Vm on(PersistentDisk disk) {
        Vm vm = provider().create(spec().withWritable(disk.layer()));
        vm.start(soon());
        return vm;
    }

    private void write(Vm vm, String text) throws IOException {
        try (GuestFileOutput file = vm.guest().files().write("/root/kept", WriteOptions.REPLACE, soon())) {
            file.write(text.getBytes(UTF_8));
        }
    }

    private String kept(Vm vm) throws IOException {
        return new String(vm.guest().files().readAllBytes("/root/kept", 1024, soon()), UTF_8);
    }

    private void end(Vm vm) {
        vm.stop(Duration.ofSeconds(5), soon());
        vm.destroy();
    }

    @Test
    default void aDiskComesOnceAndGoesWithItsDirectory() throws IOException {
        PersistentDisks disks = provider().disks();
        Path place = place("once");
        assertThat(disks.find(place)).isEmpty();
        PersistentDisk made = disks.create(place, 64);
        assertThat(made.sizeMiB()).isEqualTo(64);
        assertThat(made.inUse()).isFalse();
        assertThat(made.suspendedAt()).isEmpty();
        assertThat(disks.find(place)).contains(made);
        assertThatThrownBy(() -> disks.create(place, 64)).isInstanceOf(DiskException.Exists.class);
        disks.delete(place);
        disks.delete(place);
        assertThat(place).doesNotExist();
        assertThat(hostDirectory()).isDirectoryNotContaining("glob:**/.tmp-*");
    }

    @Test
    default void oneOfThoseThatMakeADiskAtOnceDoesAndAllThatDeleteItAreSatisfied() throws Exception {
        PersistentDisks disks = provider().disks();
        Path place = place("contested");
        AtomicInteger made = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            CyclicBarrier together = new CyclicBarrier(3);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(threads.submit(() -> {
                    for (int round = 0; round < 10; round++) {
                        together.await();
                        try {
                            var _ = disks.create(place, 64);
                            made.incrementAndGet();
                        } catch (DiskException.Exists another) {
                            // Was faster.
                        }
                        together.await();
                        try {
                            disks.delete(place);
                        } catch (DiskException.InUse another) {
                            // Is deleting it.
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(made).hasValue(10);
        assertThat(place).doesNotExist();
        assertThat(hostDirectory()).isDirectoryNotContaining("glob:**/.tmp-*");
    }

    @Test
    default void whatCannotBeADiskIsATypedError() throws IOException {
        PersistentDisks disks = provider().disks();
        Path place = place("none");
        assertThatThrownBy(() -> disks.create(place, 1)).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> disks.create(Path.of("relative"), 64)).isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> disks.grow(place, 64)).isInstanceOf(DiskException.NotFound.class);
        assertThatThrownBy(() -> disks.copy(place, place("copy"))).isInstanceOf(DiskException.NotFound.class);
        Path file = Files.writeString(place("file"), "mine");
        assertThatThrownBy(() -> disks.create(file, 64)).isInstanceOf(DiskException.Exists.class);
        assertThat(file).hasContent("mine");
        VmSpec spec = spec().withWritable(WritableLayer.persistent(place));
        assertThatThrownBy(spec::asTemplateMaker).isInstanceOf(VmException.Invalid.class);
        try (Vm vm = provider().create(spec)) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(DiskException.NotFound.class);
        }
    }

    @Test
    default void whatAGuestWroteIsThereForTheNextVm() throws IOException {
        PersistentDisk disk = provider().disks().create(place("kept"), 64);
        try (Vm vm = on(disk)) {
            write(vm, "once");
            end(vm);
        }
        try (Vm vm = on(disk)) {
            assertThat(kept(vm)).isEqualTo("once");
            write(vm, "twice");
            vm.kill(soon());
            vm.destroy();
        }
        try (Vm vm = on(disk)) {
            assertThat(kept(vm)).isIn("once", "twice", "");
        }
    }

    @Test
    default void aDiskIsUsedByOneVmAtATime() {
        PersistentDisks disks = provider().disks();
        Path place = place("alone");
        PersistentDisk disk = disks.create(place, 64);
        try (Vm vm = on(disk);
                Vm second = provider().create(spec().withWritable(disk.layer()))) {
            assertThat(disks.find(place).orElseThrow().inUse()).isTrue();
            assertThatThrownBy(() -> second.start(soon())).isInstanceOf(DiskException.InUse.class);
            assertThatThrownBy(() -> disks.grow(place, 128)).isInstanceOf(DiskException.InUse.class);
            assertThatThrownBy(() -> disks.copy(place, place("other"))).isInstanceOf(DiskException.InUse.class);
            assertThatThrownBy(() -> disks.delete(place)).isInstanceOf(DiskException.InUse.class);
            vm.kill(soon());
            assertThat(disks.find(place).orElseThrow().inUse()).isFalse();
        }
        disks.delete(place);
    }

    @Test
    default void whatAGuestMayAskOfItsDiskIsSaidAtItsStartAndCanBeChanged() {
        Throttle first = Throttle.none().withIops(500);
        Throttle second = Throttle.none().withBytesPerSecond(1 << 20);
        PersistentDisk disk = provider().disks().create(place("bound"), 64);
        VmSpec spec = spec().withWritable(disk.layer()).withThrottle(first);
        try (Vm vm = provider().create(spec)) {
            assertThatThrownBy(() -> provider().throttleDisk(vm.id(), () -> second, soon()))
                    .isInstanceOf(VmException.WrongState.class);
            vm.start(soon());
            assertThat(throttle(vm.id())).isEqualTo(first);
            provider().throttleDisk(vm.id(), () -> second, soon());
            assertThat(throttle(vm.id())).isEqualTo(second);
            vm.pause(soon());
            provider().throttleDisk(vm.id(), Throttle::none, soon());
            assertThat(throttle(vm.id())).isEqualTo(Throttle.none());
            vm.resume(soon());
            end(vm);
            assertThatThrownBy(() -> provider().throttleDisk(vm.id(), () -> second, soon()))
                    .isInstanceOf(VmException.NotFound.class);
        }
    }

    private Throttle throttle(VmId id) {
        return provider().spec(id).orElseThrow().throttle();
    }

    @Test
    default void aGuestWithoutADiskHasNoneToBeBound() {
        VmSpec spec = spec().withWritable(WritableLayer.inMemory());
        assertThatThrownBy(() -> spec.withThrottle(Throttle.none().withIops(100)))
                .isInstanceOf(VmException.Invalid.class);
        try (Vm vm = provider().create(spec)) {
            vm.start(soon());
            assertThatThrownBy(() -> provider()
                            .throttleDisk(vm.id(), () -> Throttle.none().withIops(100), soon()))
                    .isInstanceOf(VmException.Invalid.class)
                    .hasMessageContaining("no disk");
        }
    }

    @Test
    default void aDiskGrowsUnderAVmAndWithoutOne() {
        PersistentDisks disks = provider().disks();
        Path place = place("grows");
        PersistentDisk disk = disks.create(place, 64);
        assertThat(disks.grow(place, 96).sizeMiB()).isEqualTo(96);
        assertThatThrownBy(() -> disks.grow(place, 64)).isInstanceOf(VmException.Invalid.class);
        try (Vm vm = on(disk)) {
            vm.growDisk(128, soon());
            assertThat(disks.find(place).orElseThrow().sizeMiB()).isEqualTo(128);
            assertThatThrownBy(() -> vm.growDisk(64, soon())).isInstanceOf(VmException.Invalid.class);
        }
        try (Vm other = running()) {
            assertThatThrownBy(() -> other.growDisk(128, soon())).isInstanceOf(VmException.Invalid.class);
        }
    }

    @Test
    default void aCopyIsADiskOfItsOwn() throws IOException {
        PersistentDisks disks = provider().disks();
        PersistentDisk disk = disks.create(place("original"), 64);
        try (Vm vm = on(disk)) {
            write(vm, "both");
            end(vm);
        }
        PersistentDisk copy = disks.copy(disk.directory(), place("copy"));
        assertThat(copy.sizeMiB()).isEqualTo(64);
        try (Vm original = on(disk);
                Vm other = on(copy)) {
            assertThat(kept(other)).isEqualTo("both");
            write(other, "mine");
            assertThat(kept(original)).isEqualTo("both");
            end(other);
        }
        disks.delete(copy.directory());
    }

    @Test
    default void aSuspendedVmIsContinuedOnceOnItsDisk() throws IOException {
        PersistentDisks disks = provider().disks();
        PersistentDisk disk = disks.create(place("suspended"), 64);
        SnapshotName name = new SnapshotName("suspended");
        SnapshotRef taken;
        try (Vm vm = on(disk)) {
            write(vm, "before");
            taken = vm.suspend(name, soon());
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
            vm.destroy();
        }
        assertThat(disks.find(disk.directory()).orElseThrow().suspendedAt()).contains(name);
        assertThat(taken.writable()).isEqualTo(disk.layer());
        try (Vm vm = provider().create(VmSpec.restored(VmId.random(), taken))) {
            vm.start(soon());
            assertThat(kept(vm)).isEqualTo("before");
            write(vm, "after");
            end(vm);
        }
        assertThat(disks.find(disk.directory()).orElseThrow().suspendedAt()).isEmpty();
        try (Vm again = provider().create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> again.start(soon())).isInstanceOf(DiskException.MovedOn.class);
        }
        provider().deleteSnapshot(name);
        try (Vm vm = on(disk)) {
            assertThat(kept(vm)).isEqualTo("after");
        }
    }

    @Test
    default void aSnapshotOfAVmWithADiskBecomesADiskOfItsOwn() throws IOException {
        PersistentDisks disks = provider().disks();
        SnapshotRef taken;
        try (Vm vm = provider().create(spec().withWritable(WritableLayer.disk(64)))) {
            vm.start(soon());
            write(vm, "before");
            taken = vm.snapshot(new SnapshotName("forked"), soon());
            write(vm, "after");
        }
        PersistentDisk forked = disks.create(place("forked"), taken);
        assertThat(forked.sizeMiB()).isEqualTo(64);
        VmSpec clone = VmSpec.restored(VmId.random(), taken).withWritable(forked.layer());
        try (Vm vm = provider().create(clone)) {
            vm.start(soon());
            assertThat(kept(vm)).isEqualTo("before");
            write(vm, "mine");
            end(vm);
        }
        try (Vm vm = on(forked)) {
            assertThat(kept(vm)).isEqualTo("mine");
        }
    }

    @Test
    default void aVmThatCouldNotBeSuspendedGoesOn() throws IOException {
        PersistentDisk disk = provider().disks().create(place("stays"), 64);
        SnapshotName name = new SnapshotName("taken");
        try (Vm vm = on(disk)) {
            vm.snapshot(name, soon());
            assertThatThrownBy(() -> vm.suspend(name, soon())).isInstanceOf(SnapshotException.Exists.class);
            write(vm, "at work");
            assertThat(provider().disks().find(disk.directory()).orElseThrow().suspendedAt())
                    .isEmpty();
            assertThat(kept(vm)).isEqualTo("at work");
        }
    }
}
