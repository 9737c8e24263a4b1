package dev.cloche.vmm.protocol;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Reads the larger requests of a host, for the in-memory guest. Pure; the opposite of {@link HostFrames}. */
public final class HostRequests {
    private static final long NANOS = 1_000_000_000;

    private HostRequests() {}

    /** A request that is understood and cannot be granted. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final transient GuestFailure failure;

        Refused(GuestFailure failure, String sentence) {
            super(sentence);
            this.failure = failure;
        }

        public GuestFailure failure() {
            return failure;
        }
    }

    /** Describes an EXEC. */
    public record Exec(ExecRequest request, int credit) {}

    /**
     * Reads the payload of an EXEC frame.
     *
     * @throws GuestException.ProtocolBroken if it is not of its form
     * @throws VmException.Invalid if a value is out of range
     */
    public static Exec exec(PayloadReader in) throws Refused {
        int flags = in.u32(0, Frame.EXEC_ALL);
        int credit = in.u32(0, Frame.MAX_CREDIT);
        int window = in.u32();
        List<String> arguments = texts(in, in.u32(1, 65_536));
        Map<String, String> environment = new HashMap<>();
        texts(in, in.u32(0, 65_536)).forEach(variable -> split(in, variable, environment));
        ExecRequest request = ExecRequest.of(arguments.toArray(String[]::new))
                .withEnvironment(environment)
                .withWindow(window)
                .withWorkingDirectory(text(in), (flags & Frame.EXEC_CREATE_CWD) != 0)
                .withUser(text(in));
        int rows = in.u32();
        int columns = in.u32();
        if ((flags & Frame.EXEC_TERMINAL) != 0) {
            request = request.withTerminal(new TerminalSize(rows, columns));
        }
        request = (flags & Frame.EXEC_STDIN) != 0 ? request.withStdin() : request;
        request = (flags & Frame.EXEC_MAIN) != 0 ? request.asMain() : request;
        request = (flags & Frame.EXEC_ACKNOWLEDGED) != 0 ? request.acknowledged() : request;
        List<ResourceLimit> limits = new ArrayList<>();
        for (int left = in.u32(0, 16); left > 0; left--) {
            limits.add(limit(in));
        }
        request = request.withLimits(limits);
        request = (flags & Frame.EXEC_KEYED) != 0 ? request.acknowledgedAs(text(in)) : request;
        request = (flags & Frame.EXEC_INIT) != 0 ? request.asInit(in.u32(1, 64)) : request;
        request = (flags & Frame.EXEC_STOP_SIGNAL) != 0 ? request.withStopSignal(in.u32(1, 64)) : request;
        in.end();
        return new Exec(request, credit);
    }

    private static ResourceLimit limit(PayloadReader in) throws Refused {
        int number = in.u32();
        long soft = in.u64();
        long hard = in.u64();
        ResourceLimit.Resource resource = Stream.of(ResourceLimit.Resource.values())
                .filter(known -> known.number() == number)
                .findFirst()
                .orElseThrow(() -> new Refused(GuestFailure.BAD_LIMIT, "there is no resource " + number));
        if (Long.compareUnsigned(soft, hard) > 0) {
            throw new Refused(GuestFailure.BAD_LIMIT, "a soft limit is above its hard one");
        }
        return new ResourceLimit(resource, soft, hard);
    }

    /**
     * Returns a CONFIGURE.
     *
     * @throws GuestException.ProtocolBroken if it is not of its form
     * @throws VmException.Invalid if a value is out of range
     */
    public static GuestIdentity identity(PayloadReader in) throws Refused {
        GuestIdentity identity = GuestIdentity.UNCHANGED;
        Map<String, String> environment = new HashMap<>();
        Map<String, byte[]> secrets = new HashMap<>();
        while (in.rest().hasRemaining()) {
            int tag = in.u32();
            byte[] value = in.text(FrameEncoder.MAX_MESSAGE);
            PayloadReader inner = new PayloadReader("field " + tag, FrameEncoder.wrap(value));
            switch (tag) {
                case 1 -> identity = identity.withHostname(utf8(value));
                case 2 -> identity = identity.withClock(instant(inner.u63()));
                case 3 -> identity = identity.withEntropy(value);
                case 4 -> identity = identity.withMachineId(utf8(value));
                case 5 -> split(in, utf8(value), environment);
                case 6 -> secret(inner, value, secrets);
                case 7 -> identity = identity.withNetwork(network(inner));
                case 8 -> {
                    inner.end();
                    identity = identity.withExecutionsEnded();
                }
                case 9 -> {
                    inner.end();
                    identity = identity.withEarlierSecretsRemoved();
                }
                default -> throw new Refused(GuestFailure.UNSUPPORTED, "an unknown tag");
            }
        }
        return identity.withEnvironment(environment).withSecrets(secrets);
    }

    private static GuestNetwork network(PayloadReader in) {
        int mtu = in.u32();
        byte[] mac = in.text(6);
        GuestNetwork network = new GuestNetwork(
                mtu == 0 ? OptionalInt.empty() : OptionalInt.of(mtu),
                mac.length == 0
                        ? Optional.empty()
                        : Optional.of(HexFormat.ofDelimiter(":").formatHex(mac)),
                texts(in, in.u32(0, 4)),
                texts(in, in.u32(0, 2)),
                texts(in, in.u32(0, 3)));
        in.end();
        return network;
    }

    private static void secret(PayloadReader in, byte[] value, Map<String, byte[]> secrets) {
        int equals = 0;
        while (equals < value.length && value[equals] != '=') {
            equals++;
        }
        if (equals == value.length) {
            throw in.bad("has no '='");
        }
        byte[] content = Arrays.copyOfRange(value, equals + 1, value.length);
        secrets.put(new String(value, 0, equals, StandardCharsets.UTF_8), content);
    }

    private static void split(PayloadReader in, String variable, Map<String, String> environment) {
        int equals = variable.indexOf('=');
        if (equals < 0) {
            throw in.bad("has a variable without '='");
        }
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
    }

    static String text(PayloadReader in) {
        return utf8(in.text(FrameEncoder.MAX_MESSAGE));
    }

    private static List<String> texts(PayloadReader in, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(text(in));
        }
        return List.copyOf(texts);
    }

    private static String utf8(byte[] text) {
        return new String(text, StandardCharsets.UTF_8);
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(nanos / NANOS, nanos % NANOS);
    }
}
