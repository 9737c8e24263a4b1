package dev.cloche.vm;

import dev.cloche.base.ClocheException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The root of every error of this room, and what can go wrong with a VM as such. Snapshots, disks, guests, programs and files of
 * guests have families of their own.
 */
public abstract sealed class VmException extends ClocheException
        permits SnapshotException,
                DiskException,
                GuestException,
                SpawnException,
                GuestFileException,
                VmException.Invalid,
                VmException.WrongState,
                VmException.StartFailed,
                VmException.LimitReached,
                VmException.MissingResource,
                VmException.PortUnavailable,
                VmException.OlderGuard,
                VmException.NetworkFailed,
                VmException.IsolationUnavailable,
                VmException.NoRoom,
                VmException.Storage,
                VmException.NotFound,
                VmException.Exists,
                VmException.Busy,
                VmException.Deadline,
                VmException.Interrupted,
                VmException.Monitor,
                VmException.ImageAside,
                VmException.Hindered {
    VmException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** A request that this room refuses before any effect, because a value in it is not allowed. */
    public static final class Invalid extends VmException {
        public Invalid(String sentence, String remedy) {
            super("vm.invalid", sentence, remedy, null);
        }
    }

    /** A VM is not in a state in which this can be done. */
    public static final class WrongState extends VmException {
        private final VmState state;

        public WrongState(VmId id, VmState state, String wanted) {
            super("vm.state", "VM " + id + " is " + state + " and cannot " + wanted, "Look at its state first.", null);
            this.state = state;
        }

        /** Returns the state that it was in. */
        public VmState state() {
            return state;
        }
    }

    /** A VM did not come up. */
    public static final class StartFailed extends VmException {
        private static final int LONGEST_LINE = 200;
        /** What the agent's lines begin with (guest/src/sys/log.c). After its last one the kernel complains while it reboots. */
        private static final String AGENT = "cloche: ";

        /** QEMU's word where KVM gave the guest up; the registers follow it. */
        private static final String GIVEN_UP = "KVM internal error";

        private final String consoleTail;

        public StartFailed(String sentence, String remedy, String consoleTail, @Nullable Throwable cause) {
            super("vm.start", sentence + lastWords(consoleTail), remedy, cause);
            this.consoleTail = consoleTail;
        }

        /** Nearly always why it did not come up: KVM's end, the agent's line, else the last one of the kernel or QEMU. */
        private static String lastWords(String consoleTail) {
            List<String> lines =
                    consoleTail.lines().filter(line -> !line.isBlank()).toList();
            return lastOf(lines, GIVEN_UP)
                    .or(() -> lastOf(lines, AGENT))
                    .or(() -> lastOf(lines, ""))
                    .map(line -> ". Its console says: " + line.substring(0, Math.min(LONGEST_LINE, line.length())))
                    .orElse("");
        }

        private static Optional<String> lastOf(List<String> lines, String beginning) {
            return lines.stream().filter(line -> line.startsWith(beginning)).reduce((before, last) -> last);
        }

        /**
         * Returns the end of the guest's console, at most 4,096 characters, empty if it wrote nothing. The guest wrote it:
         * control characters except the newline are replaced.
         */
        public String consoleTail() {
            return consoleTail;
        }
    }

    /** A VM reached its longest duration, of which its boot is a part, before it was up. */
    public static final class LimitReached extends VmException {
        public LimitReached(VmId id, @Nullable Throwable cause) {
            super(
                    "vm.limit",
                    "VM " + id + " reached the longest time that it was given before it was up",
                    "Give it more; a boot takes longer on a busy host.",
                    cause);
        }
    }

    /** Something that VMs need is missing on this host, or does not work. */
    public static final class MissingResource extends VmException {
        public MissingResource(String sentence, String remedy, @Nullable Throwable cause) {
            super("vm.resources", sentence, remedy, cause);
        }
    }

    /** A port of the host cannot be published: it is in use, not this user's to bind, or its address is not the host's. */
    public static final class PortUnavailable extends VmException {
        private final PublishedPort port;

        public PortUnavailable(PublishedPort port, @Nullable Throwable cause) {
            super(
                    "vm.port",
                    "The port " + port.hostEnd() + " of the host cannot be published"
                            + (cause == null || cause.getMessage() == null ? "" : ": " + sentenceOf(cause)),
                    "End what uses it, publish another port of the host, or 0 for any that is free;"
                            + " ports below 1024 are for root.",
                    cause);
            this.port = port;
        }

        /** Returns the one that is to blame. */
        public PublishedPort port() {
            return port;
        }
    }

    /** The guard of a VM that an earlier version started cannot do what was asked. */
    public static final class OlderGuard extends VmException {
        public OlderGuard(VmId id) {
            super(
                    "vm.older-guard",
                    "VM " + id
                            + " began with an older version of Cloche, whose guard cannot be told this while it runs",
                    "Stop it and start it again.",
                    null);
        }
    }

    /** The network of a VM did not come up, and no port is to blame. */
    public static final class NetworkFailed extends VmException {
        /** @param log the end of what passt says, harmless to show */
        public NetworkFailed(VmId id, String log) {
            super(
                    "vm.network",
                    "The network of VM " + id + " did not come up"
                            + (log.isBlank()
                                    ? ""
                                    : ". passt says: " + log.strip().replace('\n', ' ')),
                    "See that this host has an IPv4 default route, and that this user, and its container, may make user namespaces,"
                            + " without which passt does not run.",
                    null);
        }
    }

    /** This host does not have the walls around a VM that were asked for. */
    public static final class IsolationUnavailable extends VmException {
        /** @param finding the level, and what is missing */
        public IsolationUnavailable(String finding) {
            super(
                    "isolation.unavailable",
                    "The isolation " + finding,
                    "Allow that to this user and its container (docs/security.md says how), or accept less: auto.",
                    null);
        }
    }

    /** The host's limits leave no room for a VM. Nothing was made. */
    public static final class NoRoom extends VmException {
        private final String bound;
        private final long needed;
        private final long free;
        private final List<VmId> holders;

        /**
         * @param bound the key of {@code [limits]} in {@code config.toml} that it failed at
         * @param needed in the bound's unit: MiB, a count or percent; what there is already of a bound that is passed
         * @param free what is left of the bound
         * @param holders the VMs that have the rest, the largest first
         */
        public NoRoom(String sentence, String remedy, String bound, long needed, long free, List<VmId> holders) {
            super("limits.no-room", sentence, remedy, null);
            this.bound = bound;
            this.needed = needed;
            this.free = free;
            this.holders = List.copyOf(holders);
        }

        /** Returns the key of {@code [limits]} in {@code config.toml} that it failed at. */
        public String bound() {
            return bound;
        }

        /** Returns what the VM needs, or what there is already of a bound that is passed, in its unit: MiB, a count or percent. */
        public long needed() {
            return needed;
        }

        /** Returns what is left of the bound. */
        public long free() {
            return free;
        }

        /** Returns the VMs that have the rest, the largest first. */
        public List<VmId> holders() {
            return holders;
        }
    }

    /** A file or directory of a VM could not be read, written or removed, or is not safe to use. */
    public static final class Storage extends VmException {
        public Storage(String sentence, String remedy, @Nullable Throwable cause) {
            super("vm.storage", sentence, remedy, cause);
        }
    }

    /** There is no VM of that id. */
    public static final class NotFound extends VmException {
        public NotFound(VmId id) {
            super("vm.not-found", "There is no VM " + id, "List the VMs that exist.", null);
        }
    }

    /** There is a VM of that id already. */
    public static final class Exists extends VmException {
        public Exists(VmId id) {
            super(
                    "vm.exists",
                    "There is a VM " + id + " already",
                    "Choose another id, or destroy that VM first.",
                    null);
        }
    }

    /** Another process holds what this call needs. */
    public static final class Busy extends VmException {
        public Busy(String sentence, String remedy) {
            super("vm.busy", sentence, remedy, null);
        }
    }

    /** The deadline of a call has passed. What the call began may still take effect, unless it says otherwise. */
    public static final class Deadline extends VmException {
        public Deadline(String what) {
            super(
                    "vm.deadline",
                    "Not in time: " + what,
                    "Try again with a later deadline, or look at what the guest is doing.",
                    null);
        }
    }

    /** The calling thread was interrupted; its interrupt status is set again. */
    public static final class Interrupted extends VmException {
        public Interrupted(String what) {
            super("vm.interrupted", "Interrupted: " + what, "", null);
        }
    }

    /** The program that runs a VM did not do what it was told through its control socket. */
    public static final class Monitor extends VmException {
        public Monitor(String sentence, @Nullable Throwable cause) {
            super("vm.monitor", sentence, "Kill the VM if it does not react.", cause);
        }
    }

    /**
     * A guest that was halted for a snapshot cannot go on, because the image that it boots from could not be given back to it. Its
     * VM is ended.
     */
    public static final class ImageAside extends VmException {
        public ImageAside(VmId id) {
            super(
                    "vm.image-aside",
                    "VM " + id
                            + " was ended: a snapshot of it failed and left its guest without the image that it boots from",
                    "Start it anew.",
                    null);
        }
    }

    /** A VM that lives cannot do what was asked at present. What its guest has begun is not lost. */
    public static final class Hindered extends VmException {
        private final VmHindrance hindrance;

        public Hindered(VmId id, VmHindrance hindrance) {
            super(code(hindrance), sentence(id, hindrance), hindrance.remedy(), null);
            this.hindrance = hindrance;
        }

        public VmHindrance hindrance() {
            return hindrance;
        }

        private static String code(VmHindrance hindrance) {
            return switch (hindrance) {
                case DISK_FULL -> "vm.disk-full";
                case DISK_ERROR -> "vm.disk-error";
                case HELD -> "vm.held";
                case SILENT -> "vm.silent";
            };
        }

        private static String sentence(VmId id, VmHindrance hindrance) {
            return switch (hindrance) {
                case DISK_FULL -> "The host's disk is full, and VM " + id + " is halted until there is space";
                case DISK_ERROR -> "The host failed to write to the disk of VM " + id + ", which is halted";
                case HELD -> "VM " + id + " has come to its deadline and is halted, to be suspended";
                case SILENT -> "The program that runs VM " + id + " does not answer";
            };
        }
    }
}
