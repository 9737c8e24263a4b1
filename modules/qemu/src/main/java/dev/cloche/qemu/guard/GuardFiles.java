package dev.cloche.qemu.guard;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.GuestMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads what a guard writes into a VM's directory, in the light of the notes beside it; see docs/guard.md. */
public final class GuardFiles {
    private static final String GUARD = "guard.json";
    private static final String EXIT = "exit.json";
    private static final String CONSOLE = "console.log";
    private static final String OLDER_CONSOLE = "console.log.1";
    private static final String NETWORK_LOG = "network.log";
    private static final int SIGKILL = 9;
    private static final String VERSION = "version";

    private final Path directory;

    public GuardFiles(Path directory) {
        this.directory = directory;
    }

    /** Held by the guard as long as it lives. */
    Path lock() {
        return directory.resolve("lock");
    }

    public Path console() {
        return directory.resolve(CONSOLE);
    }

    /** Returns where the guard's own complaints go. */
    public Path log() {
        return directory.resolve("guard.log");
    }

    /** Returns what passt and the relay before it say. */
    public Path networkLog() {
        return directory.resolve(NETWORK_LOG);
    }

    /** Returns whether a guard has recorded itself, which it does once it has its lock. */
    boolean begun() {
        return Files.exists(directory.resolve(GUARD));
    }

    /** Returns the guard as it recorded itself; empty if none has started. */
    Optional<ProcessIdentity> identity() {
        return read(GUARD)
                .map(json -> new ProcessIdentity(
                        number(json, GUARD, "pid"), number(json, GUARD, "startTime"), text(json, GUARD, "bootId")));
    }

    /** Returns whether the guard is of a version that publishes ports; a signal for it ends an older one. */
    boolean publishesPorts() {
        return read(GUARD)
                .filter(json -> "ports".equals(json.get("understands")))
                .isPresent();
    }

    /** Returns how the VM ended; empty if the guard has not written it. */
    Optional<VmExit> exit() {
        return read(EXIT).map(this::exit);
    }

    /**
     * Returns how the VM ended, for a guard that lives no more.
     *
     * @throws VmException.NotFound if its directory has been removed meanwhile
     */
    public VmExit exitOrLost() {
        return exit().orElseGet(this::lost);
    }

    /** Notes that its guest is asked to shut down. */
    public void stopAsked() {
        VmNote.STOP_ASKED.leave(directory);
    }

    /** Lets the VM outlive its owners from now on. */
    public void detach() {
        try {
            VmNote.DETACHED.leaveOrThrow(directory);
        } catch (IOException e) {
            throw unusable("detached", e);
        }
    }

    public void identityOwed(boolean owed) {
        if (!owed) {
            VmNote.IDENTITY_OWED.remove(directory);
            return;
        }
        try {
            VmNote.IDENTITY_OWED.leaveOrThrow(directory);
        } catch (IOException e) {
            throw unusable("identity-owed", e);
        }
    }

    public boolean identityOwed() {
        return VmNote.IDENTITY_OWED.isIn(directory);
    }

    public void capturing(boolean halted) {
        if (!halted) {
            VmNote.CAPTURING.remove(directory);
            return;
        }
        try {
            VmNote.CAPTURING.leaveOrThrow(directory);
        } catch (IOException e) {
            throw unusable("capturing", e);
        }
    }

    public boolean capturing() {
        return VmNote.CAPTURING.isIn(directory);
    }

    /** Returns whether its persistent disk is recorded as of a snapshot that it does not go on from. */
    public boolean suspended() {
        return VmNote.SUSPENDED.isIn(directory);
    }

    public void notSuspended() {
        VmNote.SUSPENDED.remove(directory);
    }

    /** Returns whether its guest is without its image. */
    public boolean imageAside() {
        return VmNote.IMAGE_ASIDE.isIn(directory);
    }

    public boolean detached() {
        return VmNote.DETACHED.isIn(directory);
    }

    /** Removes what an earlier attempt has left. */
    public void clear() {
        try {
            VmNote.removeAll(directory);
            for (String name : List.of(
                    GUARD,
                    EXIT,
                    CONSOLE,
                    OLDER_CONSOLE,
                    NETWORK_LOG,
                    IsolationRecord.FILE,
                    IsolationRecord.DENIED,
                    GroupRecord.FILE,
                    GuardPorts.FILE,
                    GuardPorts.ANSWER)) {
                Files.deleteIfExists(directory.resolve(name));
            }
        } catch (IOException e) {
            throw unusable(directory.toString(), e);
        }
    }

    private VmExit exit(Map<String, Object> json) {
        String cause = text(json, EXIT, "cause");
        VmExit.Cause known;
        try {
            known = VmExit.Cause.valueOf(cause.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw malformed(EXIT, "cause");
        }
        Optional<Goodbye> goodbye = goodbye(text(json, EXIT, "goodbye"));
        OptionalInt signal = optional(json, EXIT, "signal");
        boolean outOfMemory = killedByKernel(json, known, signal);
        boolean stopped = goodbye.isEmpty() && stopped(known);
        return new VmExit(
                outOfMemory ? VmExit.Cause.OUT_OF_MEMORY : stopped ? VmExit.Cause.STOPPED : known,
                goodbye,
                optional(json, EXIT, "exitCode"),
                signal,
                Instant.ofEpochMilli(number(json, EXIT, "startedAt")),
                Instant.ofEpochMilli(number(json, EXIT, "endedAt")));
    }

    /**
     * The program died of a SIGKILL that was not its guard's, and the kernel has ended processes of its group for want of memory;
     * the whole group, so passt may be the first that is seen to be gone.
     */
    private static boolean killedByKernel(Map<String, Object> json, VmExit.Cause cause, OptionalInt signal) {
        return (cause == VmExit.Cause.EXITED || cause == VmExit.Cause.NETWORK_ENDED)
                && signal.equals(OptionalInt.of(SIGKILL))
                && json.get("oomKills") instanceof Long kills
                && kills > 0;
    }

    /** One that was asked to stop has a limit for it, too. */
    private boolean stopped(VmExit.Cause cause) {
        return (cause == VmExit.Cause.EXITED || cause == VmExit.Cause.MAX_DURATION)
                && VmNote.STOP_ASKED.isIn(directory);
    }

    private VmExit lost() {
        try {
            // The record was written when the VM started; of its end no more is known than that it is over.
            Instant started =
                    Files.getLastModifiedTime(directory.resolve(GUARD)).toInstant();
            return new VmExit(
                    VmExit.Cause.GUARD_LOST,
                    Optional.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    started,
                    lastSign().filter(started::isBefore).orElse(started));
        } catch (NoSuchFileException removedMeanwhile) {
            throw new VmException.NotFound(new VmId(directory.getFileName().toString()));
        } catch (IOException e) {
            throw unusable(GUARD, e);
        }
    }

    private Optional<Instant> lastSign() throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(console()).toInstant());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Reads a goodbye. The bytes are the guest's, so bytes that are not exactly a goodbye are none. */
    static Optional<Goodbye> goodbye(String hexadecimal) {
        try {
            FrameDecoder decoder = new FrameDecoder();
            decoder.becomeStrict();
            ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hexadecimal));
            decoder.space().put(bytes);
            decoder.filled();
            return decoder.next()
                    .map(GuestMessage::parse)
                    .filter(GuestMessage.LastWords.class::isInstance)
                    .map(message -> ((GuestMessage.LastWords) message).goodbye());
        } catch (GuestException.ProtocolBroken | IllegalArgumentException noGoodbye) {
            return Optional.empty();
        }
    }

    private Optional<Map<String, Object>> read(String name) {
        try {
            byte[] bytes = Files.readAllBytes(directory.resolve(name));
            if (bytes.length == 0 && name.equals(GUARD)) {
                // The host crashed just when the guard had written it.
                return Optional.empty();
            }
            Map<String, Object> json = FlatJson.read(bytes);
            if (number(json, name, VERSION) != 1) {
                throw malformed(name, VERSION);
            }
            return Optional.of(json);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw unusable(name, e);
        }
    }

    private OptionalInt optional(Map<String, Object> json, String name, String key) {
        return json.containsKey(key) ? OptionalInt.of((int) number(json, name, key)) : OptionalInt.empty();
    }

    private long number(Map<String, Object> json, String name, String key) {
        if (json.get(key) instanceof Long value) {
            return value;
        }
        throw malformed(name, key);
    }

    private String text(Map<String, Object> json, String name, String key) {
        if (json.get(key) instanceof String value) {
            return value;
        }
        throw malformed(name, key);
    }

    private VmException.Storage malformed(String name, String key) {
        return unusable(name, new IOException("no valid " + key));
    }

    private VmException.Storage unusable(String name, IOException cause) {
        return new VmException.Storage(
                "The file " + name + " of the VM in " + directory + " cannot be used: " + cause.getMessage(),
                "Check the disk; destroy the VM if it does not run.",
                cause);
    }
}
