package dev.cloche.machine.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.RunningMachine;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings machines up. Its callers hold the machine's lock. The file says {@code running} before there is a VM, and has {@code
 * started_at} only when the machine is usable: so recovery after a crash finds all that was begun, and knows what is left to do.
 */
public final class MachineStart {
    private static final Duration CONFIGURE_LIMIT = Duration.ofSeconds(30);

    private final MachineContext context;
    private final MachineStop stop;
    private final MachineDisks disks;
    private final MachineImage images;
    private final Duration waitForRoom;

    /** @param waitForRoom how long a start waits where the host's limits leave no room; no longer than it may take */
    public MachineStart(
            MachineContext context, MachineStop stop, MachineDisks disks, PullListener listener, Duration waitForRoom) {
        this.context = context;
        this.stop = stop;
        this.disks = disks;
        this.images = new MachineImage(context, listener);
        this.waitForRoom = waitForRoom;
    }

    /** Starts a machine at rest, and waits for its guest's answer. */
    RunningMachine start(PersistedMachine machine, Deadline deadline) {
        checkSupported(machine);
        ImageDisk disk = images.of(machine, deadline);
        stop.clear(machine);
        new Suspension(context, disks).sweep(machine);
        VmSpec spec = spec(machine, disk).withAdmission(admission(deadline));
        PersistedMachine begun = context.store()
                .update(
                        machine.name(),
                        now -> now.withStatus(now.status()
                                .withState(MachineState.STARTING.onDisk())
                                .withStartedAt(Optional.empty())
                                .withLastError(Optional.empty())
                                .withLastEnd(Optional.empty())));
        context.note(machine, MachineEvent.Kind.STARTING, "");
        try {
            boot(begun, disk, spec, deadline);
            return connect(context.store().load(machine.name()), deadline);
        } catch (MachineException.ProvisionFailed usable) {
            throw usable;
        } catch (VmException.NoRoom full) {
            // Nothing was made: it is as it was, suspended too.
            context.store().update(machine.name(), now -> now.withStatus(machine.status()));
            throw full;
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> {
                stop.kill(begun);
                stop.failed(begun, ClocheException.sentenceOf(failure));
            });
            throw failure;
        }
    }

    /** A VM that does not come up may have been given a damaged disk; with one that is made again it is tried once more. */
    private void boot(PersistedMachine begun, ImageDisk disk, VmSpec spec, Deadline deadline) {
        try {
            bootOnce(begun, disk, spec, deadline);
        } catch (VmException.StartFailed failed) {
            if (!images.mend(begun, deadline)) {
                throw failed;
            }
            stop.kill(begun);
            stop.clear(begun);
            bootOnce(begun, disk, spec, deadline);
        } catch (VmException.Deadline late) {
            context.images().doubtHeld(MachineContext.holder(begun));
            throw late;
        }
    }

    private void bootOnce(PersistedMachine begun, ImageDisk disk, VmSpec spec, Deadline deadline) {
        try (Vm vm = context.vms().create(spec)) {
            vm.start(() -> identity(begun), deadline);
            bringUp(begun, vm, environment(begun, disk.config().env()), deadline);
        }
    }

    /** What a start that was cut short had not done yet. */
    void complete(PersistedMachine machine, Vm vm, Deadline deadline) {
        vm.guest().configure(identity(machine), deadline.orAfter(CONFIGURE_LIMIT));
        bringUp(machine, vm, environment(machine), deadline);
    }

    RunningMachine connect(PersistedMachine machine, Deadline deadline) {
        Vm vm = context.vms().connect(machine.vmId(), deadline);
        return new RunningMachine(machine, environment(machine), context.vms(), vm);
    }

    private void bringUp(PersistedMachine machine, Vm vm, Map<String, String> environment, Deadline deadline) {
        publish(machine, vm, deadline);
        Optional<String> warning = new InitBoot(machine, vm.guest(), environment).run(deadline);
        Optional<String> script = machine.settings()
                .provision()
                .filter(_ -> machine.status().provisionedAt().isEmpty());
        Optional<MachineException.ProvisionFailed> failure = Optional.empty();
        if (script.isPresent()) {
            context.note(machine, MachineEvent.Kind.PROVISIONING, script.get());
            try {
                new Provisioning(machine.name(), context.store().directory(machine.name()))
                        .run(vm.guest(), script.get(), environment, deadline);
            } catch (MachineException.ProvisionFailed failed) {
                failure = Optional.of(failed);
            }
        }
        boolean provisioned = script.isPresent() && failure.isEmpty();
        Optional<String> error =
                failure.map(ClocheException::sentence).map(Printable::brief).or(() -> warning);
        context.store().update(machine.name(), now -> {
            MachineStatus status = now.status()
                    .withStartedAt(Optional.of(context.clock().instant()))
                    .withIpAddress(MachineNetwork.address(now.settings()))
                    .withLastError(error);
            return now.withStatus(
                    provisioned
                            ? status.withProvisionedAt(
                                    Optional.of(context.clock().instant()))
                            : status);
        });
        context.note(machine, MachineEvent.Kind.STARTED, warning.orElse(""));
        if (failure.isPresent()) {
            context.note(machine, MachineEvent.Kind.PROVISION_FAILED, error.orElse(""));
            throw failure.get();
        }
    }

    /** What leads through the guest channel; a start that was cut short may have done it. */
    private void publish(PersistedMachine machine, Vm vm, Deadline deadline) {
        List<PublishedPort> ports = MachineNetwork.spec(machine.settings()).channelPorts();
        if (!ports.isEmpty() && context.vms().publishedPorts(vm.id()).isEmpty()) {
            var _ = context.vms().publish(vm.id(), ports, deadline);
        }
    }

    private VmAdmission admission(Deadline deadline) {
        Duration left = Duration.ofNanos(deadline.remainingNanos());
        return new VmAdmission(Set.of(), waitForRoom.compareTo(left) < 0 ? waitForRoom : left);
    }

    /** What its file said before this start decides whether it boots or continues. */
    private VmSpec spec(PersistedMachine machine, ImageDisk image) {
        RootDisk root =
                RootDisk.vmdk(image.vmdk()).withContents(image.manifest().toString());
        if (machine.status().state() == DiskState.SUSPENDED) {
            return new Suspension(context, disks).continuing(machine);
        }
        disks.catchUp(machine, Deadline.none());
        return VmSpec.of(machine.vmId(), root)
                .withMemoryMiB(machine.resources().memoryMb())
                .withCpus(machine.resources().cpus())
                .withWritable(disks.of(machine).layer())
                .withNetwork(MachineNetwork.spec(machine.settings()).device())
                .withIsolation(machine.settings().isolation())
                .withThrottle(machine.settings().diskThrottle())
                .withAttached(false);
    }

    private void checkSupported(PersistedMachine machine) {
        SupportRules.check(machine);
        machine.settings().provision().ifPresent(script -> {
            if (machine.status().provisionedAt().isEmpty()
                    && !Files.isRegularFile(
                            context.store().directory(machine.name()).resolve(script))) {
                throw new MachineException.Unsupported(
                        "The provisioning script " + script + " of the machine \"" + machine.name() + "\" is missing.",
                        "Put it beside config.toml, or remove the key provision with: cloche.machines().replaceConfiguration(\""
                                + machine.name() + "\", …)");
            }
        });
    }

    private GuestIdentity identity(PersistedMachine machine) {
        return GuestIdentity.fresh(machine.name().value(), context.clock()).withMachineId(machineId(machine));
    }

    /** Returns the same at every start, also after a rename; another for a clone. */
    private static String machineId(PersistedMachine machine) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(("cloche machine " + machine.vmId()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private Map<String, String> environment(PersistedMachine machine) {
        return environment(
                machine,
                context.images()
                        .heldConfig(MachineContext.holder(machine))
                        .map(config -> config.env())
                        .orElse(List.of()));
    }

    private static Map<String, String> environment(PersistedMachine machine, List<String> ofImage) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PATH", ExecRequest.DEFAULT_PATH);
        for (String variable : ofImage) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        environment.putAll(machine.settings().env());
        return environment;
    }
}
