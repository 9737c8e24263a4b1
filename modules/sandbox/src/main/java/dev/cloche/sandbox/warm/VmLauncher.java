package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.pool.WarmVm;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Brings VMs up: from a template where there is one, and by a boot otherwise. */
public record VmLauncher(VmProvider vms, TemplateStore templates, TemplateMaker maker, WarmStarts warm, Clock clock) {
    private static final Duration CONFIGURE_LIMIT = Duration.ofSeconds(30);

    /**
     * Describes a VM that runs.
     *
     * @param boot how long that took
     * @param identity what the guest has still to acknowledge
     */
    public record Launched(Vm vm, StartKind kind, Duration boot, Optional<PendingIdentity> identity) {
        public static Launched warm(WarmVm taken) {
            StartKind kind = switch (taken.kind()) {
                case WARM -> StartKind.WARM;
                case RESTORED -> StartKind.RESTORED;
            };
            return new Launched(taken.take(), kind, taken.took(), Optional.empty());
        }

        public StartTimings timings(Duration total, Duration image, Optional<String> notWarm) {
            return new StartTimings(kind, total, image, boot, notWarm);
        }

        /** Waits for what the guest has still to acknowledge, which counts as its boot. */
        public Launched acknowledged() {
            Stopwatch watch = Stopwatch.start();
            identity.ifPresent(PendingIdentity::await);
            return new Launched(vm, kind, boot.plus(watch.elapsed()), Optional.empty());
        }
    }

    /**
     * Brings a VM up, with a fresh identity on its way. If that fails, it is closed, and its files are left to the
     * caller, which wrote its id down.
     *
     * @param vm as it would be booted
     * @param image its reference, for the maker of a template
     */
    public Launched begin(VmSpec vm, String image, GuestSetup setup, Deadline deadline) {
        if (vm.writable() instanceof WritableLayer.Persistent) {
            // What is on it was written by another guest, which a template's knows nothing of.
            return boot(vm, setup, deadline);
        }
        Optional<SnapshotRef> template = template(vm);
        if (template.isPresent()) {
            Optional<Launched> restored = restore(vm, template.get(), setup, deadline);
            if (restored.isPresent()) {
                return restored.get();
            }
        }
        Launched booted = boot(vm, setup, deadline);
        missed(vm, image);
        return booted;
    }

    /** Returns the template to restore from, if there is a good one; a boot is always possible. */
    private Optional<SnapshotRef> template(VmSpec vm) {
        try {
            return templates.find(vm);
        } catch (RuntimeException e) {
            log("templates cannot be used", e);
            return Optional.empty();
        }
    }

    private void missed(VmSpec vm, String image) {
        try {
            maker.missed(vm, image);
        } catch (RuntimeException e) {
            log("no template is made", e);
        }
    }

    private Optional<Launched> restore(VmSpec vm, SnapshotRef template, GuestSetup setup, Deadline deadline) {
        Stopwatch watch = Stopwatch.start();
        Vm clone = vms.create(restored(vm, template));
        try {
            clone.start(() -> setup.identity(clock), deadline);
            return Optional.of(new Launched(clone, StartKind.RESTORED, watch.elapsed(), Optional.empty()));
        } catch (VmException.Deadline | VmException.Interrupted | VmException.IsolationUnavailable e) {
            clone.close();
            throw e;
        } catch (VmException e) {
            log("template " + template.name() + " is not usable", e);
            // Its id is the sandbox's, which a boot is to have now.
            clone.close();
            clone.destroy();
            if (e instanceof SnapshotException.Mismatch || e instanceof SnapshotException.Damaged) {
                templates.discard(template.name());
            }
            return Optional.empty();
        } catch (Throwable e) {
            clone.close();
            throw e;
        }
    }

    private static VmSpec restored(VmSpec vm, SnapshotRef template) {
        VmSpec plain = VmSpec.restored(vm.id(), template)
                .withAttached(vm.attached())
                .withNetwork(vm.network())
                .withIsolation(vm.isolation())
                .withThrottle(vm.throttle())
                .withAdmission(vm.admission());
        VmSpec limited = vm.maxDuration().map(plain::withMaxDuration).orElse(plain);
        return vm.outputLogBytes().isPresent()
                ? limited.withOutputLogBytes(vm.outputLogBytes().getAsLong())
                : limited;
    }

    private Launched boot(VmSpec spec, GuestSetup setup, Deadline deadline) {
        Vm vm = vms.create(spec);
        try {
            Stopwatch watch = Stopwatch.start();
            vm.start(deadline);
            Duration boot = watch.elapsed();
            PendingIdentity configuring =
                    vm.guest().beginConfigure(setup.identity(clock), deadline.orAfter(CONFIGURE_LIMIT));
            return new Launched(vm, StartKind.COLD, boot, Optional.of(configuring));
        } catch (Throwable failure) {
            Uninterrupted.after(failure, vm::close);
            throw failure;
        }
    }

    private static void log(String what, RuntimeException why) {
        System.getLogger(TemplateStore.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
