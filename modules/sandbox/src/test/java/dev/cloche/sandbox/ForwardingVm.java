package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.TakenSnapshot;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A VM as it is, for what does something else at some of its steps. */
abstract class ForwardingVm implements Vm {
    final Vm vm;

    ForwardingVm(Vm vm) {
        this.vm = vm;
    }

    @Override
    public VmId id() {
        return vm.id();
    }

    @Override
    public VmState state() {
        return vm.state();
    }

    @Override
    public void shelve() {
        vm.shelve();
    }

    @Override
    public void claim() {
        vm.claim();
    }

    @Override
    public void limit(Duration longest) {
        vm.limit(longest);
    }

    @Override
    public Optional<VmException.Hindered> hindrance() {
        return vm.hindrance();
    }

    @Override
    public Guest guest() {
        return vm.guest();
    }

    @Override
    public void pause(Deadline deadline) {
        vm.pause(deadline);
    }

    @Override
    public void resume(Deadline deadline) {
        vm.resume(deadline);
    }

    @Override
    public void resume(Supplier<GuestIdentity> identity, Runnable meanwhile, Deadline deadline) {
        vm.resume(identity, meanwhile, deadline);
    }

    @Override
    public TakenSnapshot take(SnapshotName name, Deadline deadline) {
        return vm.take(name, deadline);
    }

    @Override
    public SnapshotRef suspend(SnapshotName name, Deadline deadline) {
        return vm.suspend(name, deadline);
    }

    @Override
    public SnapshotRef suspend(SnapshotName name, Consumer<SnapshotRef> kept, Deadline deadline) {
        return vm.suspend(name, kept, deadline);
    }

    @Override
    public void load(Deadline deadline) {
        vm.load(deadline);
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        vm.growDisk(sizeMiB, deadline);
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        return vm.stop(grace, deadline);
    }

    @Override
    public VmExit kill(Deadline deadline) {
        return vm.kill(deadline);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return vm.awaitExit(deadline);
    }

    @Override
    public void detach() {
        vm.detach();
    }

    @Override
    public void close() {
        vm.close();
    }

    @Override
    public void start(Deadline deadline) {
        vm.start(deadline);
    }

    @Override
    public void start(Supplier<GuestIdentity> identity, Deadline deadline) {
        vm.start(identity, deadline);
    }

    @Override
    public void prepare(Deadline deadline) {
        vm.prepare(deadline);
    }

    @Override
    public void prepare(Consumer<Guest> exercise, Deadline deadline) {
        vm.prepare(exercise, deadline);
    }

    @Override
    public void destroy() {
        vm.destroy();
    }
}
