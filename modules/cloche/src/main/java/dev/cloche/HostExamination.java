package dev.cloche;

import dev.cloche.HealthCheck.Verdict;
import dev.cloche.base.ClocheException;
import dev.cloche.linux.DiskReserve;
import dev.cloche.linux.HostSystem;
import dev.cloche.linux.NativeAccess;
import dev.cloche.linux.NativeAccessDeniedException;
import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import dev.cloche.runtime.RuntimeManifest;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmIsolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Looks at a host, one thing after the other; what fails is a finding. */
final class HostExamination {
    private static final long MIB = 1L << 20;
    private static final long SPACE_NEEDED = 512 * MIB;
    private static final long SPACE_WANTED = 4096 * MIB;
    private static final String MAKE_SPACE =
            "Remove what is not needed (cloche.sandboxes().remove(…), cloche.images().prune(…), cloche.templates().prune(…)),"
                    + " or name another place with CLOCHE_HOME.";

    private static final String ALLOW_NAMESPACES = "Allow this user, and its container, to make user namespaces.";

    private static final String DELEGATE =
            "Start Cloche in a group that is left to it: systemd-run --user --scope -p Delegate=yes COMMAND, or by Delegate=yes"
                    + " and DelegateSubgroup=main in its unit. Elsewhere name a group in control-group of [limits] in config.toml.";

    /** What mends holes in the kernel and the programs is a newer runtime. */
    private static final int OLD_AFTER_DAYS = 90;

    private final ClocheOptions options;
    private final Set<HostRequirement> required;
    private final Clock clock;

    HostExamination(ClocheOptions options, Set<HostRequirement> required, Clock clock) {
        this.options = options;
        this.required = Set.copyOf(required);
        this.clock = clock;
    }

    List<HealthCheck> checks() {
        HostSystem system = HostSystem.ofThisJvm();
        if (!system.isSupported()) {
            return List.of(failure("system", new HostException.Unsupported(system)));
        }
        try {
            NativeAccess.require();
        } catch (NativeAccessDeniedException denied) {
            return List.of(failure("native access", denied));
        }
        List<HealthCheck> checks = new ArrayList<>();
        Optional<Path> root = stateRoot(checks);
        disk(root, checks);
        root.map(path -> path.resolve("share"))
                .filter(Files::isDirectory)
                .ifPresent(share -> checks.add(unused(share)));
        Optional<VmResources> resources = resources(checks);
        Optional<VmIsolation> walls = Optional.empty();
        if (root.isPresent() && resources.isPresent()) {
            walls = qemu(root.get(), resources.get(), checks);
        }
        if (resources.isPresent()) {
            checks.add(network(resources.get(), walls, verdictWithout(HostRequirement.NETWORK)));
            disks(resources.get(), checks);
        }
        return List.copyOf(checks);
    }

    private Optional<Path> stateRoot(List<HealthCheck> checks) {
        try {
            Path root = StateRoot.ensure(options);
            checks.add(
                    StateRoot.isReadOnly(root)
                            ? new HealthCheck(
                                    "state root",
                                    Verdict.FAILURE,
                                    root
                                            + " is on a read-only file system; what is recorded can be read, and nothing else",
                                    "Mount it for reading and writing, or name another place with CLOCHE_HOME.")
                            : ok("state root", root + " is yours alone"));
            return Optional.of(root);
        } catch (HostException e) {
            checks.add(failure("state root", e));
            return Optional.empty();
        }
    }

    private void disk(Optional<Path> root, List<HealthCheck> checks) {
        if (root.isEmpty()) {
            return;
        }
        try {
            long free = Files.getFileStore(root.get()).getUsableSpace();
            String finding = free / MIB + " MiB are free at " + root.get();
            if (free < SPACE_NEEDED) {
                checks.add(new HealthCheck("disk", Verdict.FAILURE, finding + reserve(root.get()), MAKE_SPACE));
            } else if (free < SPACE_WANTED) {
                checks.add(new HealthCheck("disk", Verdict.WARNING, finding, "Larger images will not fit."));
            } else {
                checks.add(ok("disk", finding));
            }
        } catch (IOException e) {
            checks.add(new HealthCheck("disk", Verdict.WARNING, "The free space is unknown: " + e.getMessage(), ""));
        }
    }

    /** What is left for those who read, end or remove. */
    private static String reserve(Path root) throws IOException {
        return "; what reads, ends or removes has " + DiskReserve.in(root).size() / MIB + " MiB in reserve";
    }

    /** Builds before 0.1.0 took what VMs are made with from there. */
    private static HealthCheck unused(Path share) {
        return new HealthCheck(
                "state root",
                Verdict.WARNING,
                share + " is not looked at any more",
                "Remove it, or name it with CLOCHE_SHARE to use what is in it.");
    }

    private Optional<VmResources> resources(List<HealthCheck> checks) {
        try {
            Installation installation = Installation.of(options);
            checks.add(ok("runtime", installation.where()));
            installation.manifest().map(this::age).ifPresent(checks::add);
            VmResources resources = installation.resources();
            KernelImage kernel = resources.kernel();
            checks.add(ok(
                    "kernel",
                    "Linux " + kernel.properties().release() + " ("
                            + kernel.properties().kind() + ") at " + kernel.kernel()));
            return Optional.of(resources);
        } catch (ClocheException e) {
            checks.add(failure("runtime", e));
            return Optional.empty();
        }
    }

    private HealthCheck age(RuntimeManifest manifest) {
        long days = ChronoUnit.DAYS.between(manifest.built(), LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC));
        String finding = "version " + manifest.version() + " of " + manifest.built();
        return days < OLD_AFTER_DAYS
                ? ok("runtime age", finding)
                : new HealthCheck(
                        "runtime age",
                        Verdict.WARNING,
                        finding + ", " + days + " days old",
                        "Use a newer runtime, in which known holes of the kernel and the programs are mended.");
    }

    /** Returns the walls that QEMU has here, if that could be found out. */
    private Optional<VmIsolation> qemu(Path root, VmResources resources, List<HealthCheck> checks) {
        ConfigurationFile configuration = new ConfigurationFile(root);
        try (QemuProvider provider = new QemuProvider(
                Rooms.layout(options, root),
                resources,
                () -> configuration.read().isolation(),
                () -> configuration.read().alarmEnds(),
                () -> configuration.read().limits())) {
            VmCapabilities capabilities = provider.capabilities();
            checks.add(ok("qemu", "version " + capabilities.version() + ", " + resources.qemu()));
            if (capabilities.accelerator() == Accelerator.KVM) {
                String finding = "KVM: " + capabilities.acceleratorReason();
                checks.add(
                        capabilities.proven()
                                ? ok("accelerator", finding)
                                : new HealthCheck(
                                        "accelerator",
                                        Verdict.WARNING,
                                        finding,
                                        "Unset CLOCHE_ACCELERATOR if sandboxes do not start."));
                checks.add(KvmStarts.ofThisHost().check());
            } else {
                checks.add(new HealthCheck(
                        "accelerator",
                        verdictWithout(HostRequirement.KVM),
                        "software emulation (TCG): " + capabilities.acceleratorReason(),
                        "Sandboxes run several times slower; use a host whose /dev/kvm works and that you may open."));
            }
            checks.add(limits(provider));
            return isolation(provider, checks);
        } catch (ClocheException e) {
            checks.add(failure("qemu", e));
            return Optional.empty();
        }
    }

    private Verdict verdictWithout(HostRequirement wanted) {
        return required.contains(wanted) ? Verdict.FAILURE : Verdict.WARNING;
    }

    private Optional<VmIsolation> isolation(QemuProvider provider, List<HealthCheck> checks) {
        try {
            VmIsolation walls = provider.hostIsolation();
            checks.add(isolation(walls));
            checks.add(groups(walls.group(), verdictWithout(HostRequirement.GROUPS)));
            return Optional.of(walls);
        } catch (ClocheException e) {
            checks.add(failure("isolation", e));
            return Optional.empty();
        }
    }

    private HealthCheck isolation(VmIsolation walls) {
        Verdict lacking =
                required.stream().allMatch(each -> each.holds(walls.level())) ? Verdict.WARNING : Verdict.FAILURE;
        String level = walls.level().name().toLowerCase(Locale.ROOT);
        return switch (walls.level()) {
            case FULL -> ok("isolation", "full: QEMU has the files of its VM, and an empty room");
            case SEALED ->
                new HealthCheck(
                        "isolation",
                        lacking,
                        "sealed: QEMU has the files of its VM; not more, for want of " + walls.missing(),
                        ALLOW_NAMESPACES);
            case REDUCED, NONE ->
                new HealthCheck(
                        "isolation",
                        lacking,
                        level + ": a guest that breaks out of QEMU is among the processes of this user"
                                + (walls.missing().isEmpty() ? "" : "; not more, for want of " + walls.missing()),
                        "Use Linux 5.14 or newer, a container that allows seccomp, the guard of this version, and"
                                + " CLOCHE_ISOLATION=auto.");
        };
    }

    /** @param group of a VM that was tried; empty if groups are off */
    static HealthCheck groups(Optional<VmIsolation.Group> group, Verdict lacking) {
        if (group.isEmpty()) {
            return lacking == Verdict.FAILURE
                    ? new HealthCheck(
                            "groups",
                            lacking,
                            "VMs have no control groups: that is switched off",
                            "Write control-group = \"auto\" in [limits] of config.toml, and unset CLOCHE_LIMITS.")
                    : ok("groups", "VMs have no control groups: that is switched off");
        }
        String missing = group.get().missing();
        Optional<Path> around = group.get().path().map(path -> Path.of(path).getParent());
        if (around.isEmpty()) {
            return new HealthCheck("groups", lacking, "no control group bounds what a VM takes: " + missing, DELEGATE);
        }
        return missing.isEmpty()
                ? ok("groups", "memory, processes and processor time of each VM are bounded, in " + around.get())
                : new HealthCheck(
                        "groups",
                        lacking,
                        "of VMs in " + around.get() + " these are not bounded: " + missing,
                        DELEGATE);
    }

    private static HealthCheck limits(QemuProvider provider) {
        try {
            return ok("limits", provider.balance());
        } catch (ClocheException e) {
            return failure("limits", e);
        }
    }

    /** The guard tries the same namespaces for QEMU as passt wants for itself. */
    static HealthCheck network(VmResources resources, Optional<VmIsolation> walls, Verdict lacking) {
        try {
            String finding = "passt at " + resources.requirePasst();
            return walls.filter(each -> each.missing().contains("namespaces")).isEmpty()
                    ? ok("network", finding)
                    : new HealthCheck(
                            "network",
                            lacking,
                            finding + ", which needs user namespaces, and this user may make none",
                            ALLOW_NAMESPACES);
        } catch (ClocheException e) {
            return new HealthCheck("network", lacking, e.sentence(), e.remedy());
        }
    }

    private void disks(VmResources resources, List<HealthCheck> checks) {
        try {
            checks.add(ok("disks", "mkfs.ext4 at " + resources.requireFormatter()));
        } catch (ClocheException e) {
            checks.add(new HealthCheck("disks", verdictWithout(HostRequirement.DISKS), e.sentence(), e.remedy()));
        }
    }

    private static HealthCheck ok(String name, String finding) {
        return new HealthCheck(name, Verdict.OK, finding, "");
    }

    private static HealthCheck failure(String name, ClocheException e) {
        return new HealthCheck(name, Verdict.FAILURE, e.sentence(), e.remedy());
    }
}
