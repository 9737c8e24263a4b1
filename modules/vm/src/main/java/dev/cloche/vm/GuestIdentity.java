package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Says what makes a guest differ from its siblings. Parts that are absent stay as they are in the guest. Immutable.
 *
 * <p>The values of secrets and the entropy are in no text of this class, nor in any exception.
 */
public final class GuestIdentity {
    private static final Pattern HOSTNAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?");
    private static final Pattern MACHINE_ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}");
    private static final int MAX_VARIABLES = 1024;
    private static final int MAX_SECRETS = 256;
    private static final int MAX_SECRET_BYTES = 64 * 1024;
    /** Leaves room in a message of 1 MiB for the fields of fixed size. */
    private static final int MAX_BYTES = (1 << 20) - 4096;

    private static final int PER_FIELD = 9;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Nothing; every part is added to it. */
    public static final GuestIdentity UNCHANGED = new GuestIdentity(new Draft());

    private final Optional<String> hostname;
    private final Optional<Instant> clock;
    private final Optional<byte[]> entropy;
    private final Optional<String> machineId;
    private final Map<String, String> environment;
    private final Map<String, byte[]> secrets;
    private final Optional<GuestNetwork> network;
    private final boolean endsExecutions;
    private final boolean removesSecrets;

    private static final class Draft {
        private Optional<String> hostname = Optional.empty();
        private Optional<Instant> clock = Optional.empty();
        private Optional<byte[]> entropy = Optional.empty();
        private Optional<String> machineId = Optional.empty();
        private Map<String, String> environment = Map.of();
        private Map<String, byte[]> secrets = Map.of();
        private Optional<GuestNetwork> network = Optional.empty();
        private boolean endsExecutions;
        private boolean removesSecrets;
    }

    private GuestIdentity(Draft draft) {
        hostname = draft.hostname;
        clock = draft.clock;
        entropy = draft.entropy;
        machineId = draft.machineId;
        environment = draft.environment;
        secrets = draft.secrets;
        network = draft.network;
        endsExecutions = draft.endsExecutions;
        removesSecrets = draft.removesSecrets;
        long bytes = 0;
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            bytes += PER_FIELD + size(variable.getKey()) + size(variable.getValue());
        }
        for (Map.Entry<String, byte[]> secret : secrets.entrySet()) {
            bytes += PER_FIELD + size(secret.getKey()) + secret.getValue().length;
        }
        if (bytes > MAX_BYTES) {
            throw invalid("The environment and secrets are too large", "Keep all of them below 1 MiB.");
        }
    }

    private GuestIdentity with(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.hostname = hostname;
        draft.clock = clock;
        draft.entropy = entropy;
        draft.machineId = machineId;
        draft.environment = environment;
        draft.secrets = secrets;
        draft.network = network;
        draft.endsExecutions = endsExecutions;
        draft.removesSecrets = removesSecrets;
        change.accept(draft);
        return new GuestIdentity(draft);
    }

    /**
     * Returns a new identity in every part that differs by itself: this host name and time, fresh entropy and machine id.
     */
    public static GuestIdentity fresh(String hostname, Clock clock) {
        return UNCHANGED
                .withHostname(hostname)
                .withClock(clock.instant())
                .withEntropy(random(64))
                .withMachineId(HexFormat.of().formatHex(random(16)));
    }

    /**
     * Sets its host name.
     *
     * @throws VmException.Invalid unless it is 1 to 64 letters, digits, dots and hyphens
     */
    public GuestIdentity withHostname(String value) {
        if (!HOSTNAME.matcher(value).matches()) {
            throw invalid("'" + value + "' is no host name", "Use 1 to 64 letters, digits, dots and dashes.");
        }
        return with(draft -> draft.hostname = Optional.of(value));
    }

    /**
     * Sets the wall clock.
     *
     * @throws VmException.Invalid if it is before 1970
     */
    public GuestIdentity withClock(Instant value) {
        if (value.isBefore(Instant.EPOCH)) {
            throw invalid("A guest's clock cannot be set before 1970", "Check the host's clock.");
        }
        return with(draft -> draft.clock = Optional.of(value));
    }

    /**
     * Gives random bytes for the guest's kernel.
     *
     * @throws VmException.Invalid unless it is 16 to 512 bytes
     */
    public GuestIdentity withEntropy(byte[] value) {
        if (value.length < 16 || value.length > 512) {
            throw invalid("Entropy is 16 to 512 bytes", "Give 64 random bytes.");
        }
        byte[] copy = value.clone();
        return with(draft -> draft.entropy = Optional.of(copy));
    }

    /**
     * Sets what becomes /etc/machine-id.
     *
     * @throws VmException.Invalid unless it is 32 hexadecimal digits in lower case
     */
    public GuestIdentity withMachineId(String value) {
        if (!MACHINE_ID.matcher(value).matches()) {
            throw invalid("'" + value + "' is no machine id", "Use 32 hexadecimal digits in lower case.");
        }
        return with(draft -> draft.machineId = Optional.of(value));
    }

    /**
     * Sets variables that later executions get where their own environment lacks them; they replace all earlier ones.
     *
     * @throws VmException.Invalid if a name is none, a text has a NUL, or there are more than 1,024
     */
    public GuestIdentity withEnvironment(Map<String, String> value) {
        if (value.size() > MAX_VARIABLES) {
            throw invalid("There are too many variables", "Give at most 1,024.");
        }
        value.forEach((name, text) -> {
            if (name.isEmpty() || name.contains("=") || name.indexOf('\0') >= 0 || text.indexOf('\0') >= 0) {
                throw invalid(
                        "'" + Printable.of(name) + "' is no variable",
                        "Names are not empty, without '='; neither they nor values have a NUL.");
            }
        });
        Map<String, String> copy = Map.copyOf(value);
        return with(draft -> draft.environment = copy);
    }

    /**
     * Puts files in {@code /run/secrets} that only root may read, in memory; they replace all earlier ones.
     *
     * @param value by name: 1 to 64 letters, digits, dots, hyphens and underscores, the first of which is no dot; at most
     *     256, of at most 64 KiB each
     * @throws VmException.Invalid if a name or size is out of range
     */
    public GuestIdentity withSecrets(Map<String, byte[]> value) {
        if (value.size() > MAX_SECRETS) {
            throw invalid("There are too many secrets", "Give at most 256.");
        }
        Map<String, byte[]> copy = new TreeMap<>();
        value.forEach((name, bytes) -> {
            if (!SECRET.matcher(name).matches()) {
                throw invalid(
                        "'" + Printable.of(name) + "' is no name of a secret",
                        "Use 1 to 64 letters, digits, dots, hyphens and underscores; begin with no dot.");
            }
            if (bytes.length > MAX_SECRET_BYTES) {
                throw invalid("The secret '" + name + "' is too large", "Keep it at or below 64 KiB.");
            }
            copy.put(name, bytes.clone());
        });
        return with(draft -> draft.secrets = copy);
    }

    public GuestIdentity withNetwork(GuestNetwork value) {
        return with(draft -> draft.network = Optional.of(value));
    }

    /**
     * Kills all that runs in the guest, and forgets its executions, before the rest of this is in force: for a clone that is to
     * begin with what its original had in memory and on disk, and none of its programs.
     */
    public GuestIdentity withExecutionsEnded() {
        return with(draft -> draft.endsExecutions = true);
    }

    /**
     * Overwrites and takes away the secrets that the guest was given before, or what it is a clone of was: those of this
     * identity are all that there are then. What a program has read or copied stays what it is.
     */
    public GuestIdentity withEarlierSecretsRemoved() {
        return with(draft -> draft.removesSecrets = true);
    }

    public boolean removesSecrets() {
        return removesSecrets;
    }

    public boolean endsExecutions() {
        return endsExecutions;
    }

    public Optional<String> hostname() {
        return hostname;
    }

    public Optional<Instant> clock() {
        return clock;
    }

    public Optional<byte[]> entropy() {
        return entropy;
    }

    public Optional<String> machineId() {
        return machineId;
    }

    public Map<String, String> environment() {
        return environment;
    }

    public Map<String, byte[]> secrets() {
        return secrets;
    }

    public Optional<GuestNetwork> network() {
        return network;
    }

    /** Names only: neither values of variables nor secrets. */
    @Override
    public String toString() {
        return "GuestIdentity[hostname=" + hostname.orElse("") + ", variables=" + environment.keySet() + ", secrets="
                + secrets.keySet() + "]";
    }

    private static int size(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    private static VmException.Invalid invalid(String sentence, String remedy) {
        return new VmException.Invalid(sentence, remedy);
    }
}
