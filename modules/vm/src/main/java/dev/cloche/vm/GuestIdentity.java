package dev.cloche.vm;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What makes a guest differ from its siblings. Parts that are absent stay as they are in the guest. Immutable.
 */
public final class GuestIdentity {
    private static final Pattern HOSTNAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?");
    private static final Pattern MACHINE_ID = Pattern.compile("[0-9a-f]{32}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Optional<String> hostname;
    private final Optional<Instant> clock;
    private final Optional<byte[]> entropy;
    private final Optional<String> machineId;

    /**
     * @param hostname 1 to 64 letters, digits, dots and dashes
     * @param clock the wall clock to set, from 1970 on
     * @param entropy 16 to 512 random bytes for the guest's kernel
     * @param machineId 32 hexadecimal digits in lower case
     * @throws InvalidVmSpecException if a part is not of its form
     */
    public GuestIdentity(
            Optional<String> hostname, Optional<Instant> clock, Optional<byte[]> entropy, Optional<String> machineId) {
        if (hostname.isPresent() && !HOSTNAME.matcher(hostname.get()).matches()) {
            throw new InvalidVmSpecException(
                    "'" + hostname.get() + "' is no host name", "Use 1 to 64 letters, digits, dots and dashes.");
        }
        if (clock.isPresent() && clock.get().isBefore(Instant.EPOCH)) {
            throw new InvalidVmSpecException("A guest's clock cannot be set before 1970", "Check the host's clock.");
        }
        if (entropy.isPresent() && (entropy.get().length < 16 || entropy.get().length > 512)) {
            throw new InvalidVmSpecException("Entropy is 16 to 512 bytes", "Give 64 random bytes.");
        }
        if (machineId.isPresent() && !MACHINE_ID.matcher(machineId.get()).matches()) {
            throw new InvalidVmSpecException(
                    "'" + machineId.get() + "' is no machine id", "Use 32 hexadecimal digits in lower case.");
        }
        this.hostname = hostname;
        this.clock = clock;
        this.entropy = entropy.map(byte[]::clone);
        this.machineId = machineId;
    }

    /** A new identity in every part: the given host name, the time of {@code clock}, fresh entropy and machine id. */
    public static GuestIdentity fresh(String hostname, Clock clock) {
        byte[] machine = random(16);
        return new GuestIdentity(
                Optional.of(hostname),
                Optional.of(clock.instant()),
                Optional.of(random(64)),
                Optional.of(HexFormat.of().formatHex(machine)));
    }

    public Optional<String> hostname() {
        return hostname;
    }

    public Optional<Instant> clock() {
        return clock;
    }

    /** A copy of the entropy. */
    public Optional<byte[]> entropy() {
        return entropy.map(byte[]::clone);
    }

    public Optional<String> machineId() {
        return machineId;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
