package dev.cloche.junit;

import dev.cloche.Ready;
import dev.cloche.Sandbox;
import dev.cloche.vm.Network;
import dev.cloche.vm.PublishedPort;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A service that tests need, in a sandbox of its own that runs the image's command. Its methods have the names that users of
 * Testcontainers know. In a static field with {@code @RegisterExtension} it runs for all tests of the class, in one of an
 * instance anew for each test; with the test or class its sandbox ends.
 *
 * <pre>{@code
 * @EnabledIfCloche
 * class CacheTest {
 *     @RegisterExtension
 *     static final SandboxedService redis = new SandboxedService("redis")
 *             .withExposedPorts(6379)
 *             .withEnv("MODE", "test")
 *             .waitingFor(Ready.log("Ready to accept connections"));
 *
 *     @DynamicPropertySource
 *     static void properties(DynamicPropertyRegistry registry) {
 *         registry.add("spring.data.redis.host", redis::getHost);
 *         registry.add("spring.data.redis.port", () -> redis.getMappedPort(6379));
 *     }
 * }
 * }</pre>
 *
 * <p>It has no network unless it is given one: its ports are reached through the channel on which Cloche speaks with its guest.
 * What is set while it runs counts from its next start. Thread-safe.
 */
public final class SandboxedService
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private final String image;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Set<Integer> ports = new LinkedHashSet<>();
    private final Set<Ready> conditions = new LinkedHashSet<>();
    private List<String> command = List.of();
    private int memoryMib = 512;
    private Network network = Network.NONE;
    private int pool;
    private Duration readyLimit = Duration.ofSeconds(60);
    private @Nullable Sandbox sandbox;
    /** The test or class with which it ends. */
    private @Nullable String startedFor;

    /**
     * Makes a service of an image, which is not started yet.
     *
     * @param image as {@link dev.cloche.Cloche#sandbox} takes it
     */
    public SandboxedService(String image) {
        this.image = image;
    }

    /**
     * Adds TCP ports of the guest, each 1 to 65,535, that {@link #getMappedPort} leads to. The tests begin when the service
     * listens on all of them.
     *
     * @throws dev.cloche.base.ClocheException if there is no such port
     */
    public synchronized SandboxedService withExposedPorts(int... guestPorts) {
        List<Ready> listening = IntStream.of(guestPorts).mapToObj(Ready::port).toList();
        conditions.addAll(listening);
        IntStream.of(guestPorts).forEach(ports::add);
        return this;
    }

    /** Sets an environment variable of all commands. */
    public synchronized SandboxedService withEnv(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Runs another command than the image's own; no shell reads its words. */
    public synchronized SandboxedService withCommand(String... words) {
        command = List.of(words);
        return this;
    }

    /**
     * Adds what is to be so when the tests begin, besides the ports that are listened on. {@link Ready#log} is for what the
     * service writes from its start on.
     */
    public synchronized SandboxedService waitingFor(Ready condition) {
        conditions.add(condition);
        return this;
    }

    /** Limits how long to wait for each port and condition; by default 60 seconds. */
    public synchronized SandboxedService withStartupTimeout(Duration limit) {
        readyLimit = limit;
        return this;
    }

    /** Sets the guest's memory in MiB; by default 512. */
    public synchronized SandboxedService withMemoryMib(int memoryMib) {
        this.memoryMib = memoryMib;
        return this;
    }

    /** Gives it a network; by default it has none, and its ports are reached all the same. */
    public synchronized SandboxedService withNetwork(Network network) {
        this.network = network;
        return this;
    }

    /** Keeps this many VMs ready for sandboxes of the same image, memory and network, as {@link Sandboxed#pool} does. */
    public synchronized SandboxedService withPool(int depth) {
        pool = depth;
        return this;
    }

    /** Returns the address of this host on which its ports are. */
    public String getHost() {
        return PublishedPort.LOOPBACK;
    }

    /**
     * Returns the port of this host that leads to a port of the service.
     *
     * @throws TestSandboxException.NotStarted if it does not run
     */
    public int getMappedPort(int guestPort) {
        return sandbox().ports().of(guestPort).address().getPort();
    }

    /**
     * Returns the sandbox that it runs in, for commands and files; the tests leave it open.
     *
     * @throws TestSandboxException.NotStarted if it does not run
     */
    public synchronized Sandbox sandbox() {
        if (sandbox == null) {
            throw new TestSandboxException.NotStarted(image);
        }
        return sandbox;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        start(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        start(context);
    }

    private synchronized void start(ExtensionContext context) {
        if (sandbox == null) {
            sandbox = TestSandboxes.start(context, settings());
            startedFor = context.getUniqueId();
        } else if (!isWithin(context)) {
            throw new TestSandboxException.Shared(image);
        }
    }

    private SandboxSettings settings() {
        return new SandboxSettings(
                image,
                command,
                true,
                environment,
                memoryMib,
                1,
                network,
                List.copyOf(ports),
                List.copyOf(conditions),
                pool,
                readyLimit);
    }

    /** Says whether it was started for this test, or for a class that this is in. */
    private boolean isWithin(ExtensionContext context) {
        return Stream.iterate(
                        Optional.of(context), Optional::isPresent, outer -> outer.flatMap(ExtensionContext::getParent))
                .anyMatch(outer -> outer.orElseThrow().getUniqueId().equals(startedFor));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        end(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end(context);
    }

    /** Lets go of the sandbox, which ends with what it was started for. */
    private synchronized void end(ExtensionContext context) {
        TestSandboxes.publishOutput(context);
        if (context.getUniqueId().equals(startedFor)) {
            sandbox = null;
            startedFor = null;
        }
    }
}
