package dev.cloche.cli.sandbox;

import dev.cloche.RestoreBuilder;
import dev.cloche.SandboxBuilder;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.option.SizeOptions;
import dev.cloche.image.PullPolicy;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options by which {@code run} and {@code create} say what a sandbox is. */
final class SandboxOptions {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the sandbox and host name of its guest. Without one it gets a generated name and is"
                    + " removed when it ends.")
    private @Nullable String name;

    @Option(names = "--rm", description = "Remove the sandbox when it ends.")
    private boolean ephemeral;

    @Option(
            names = "--entrypoint",
            paramLabel = "PROGRAM",
            description =
                    "What the command's words are given to, in place of the image's entrypoint; the image's own command"
                            + " is left out then. Empty for none.")
    private @Nullable String entrypoint;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--disk",
            paramLabel = "SIZE",
            description =
                    "Size of the disk that the guest writes to, which is kept until the sandbox is removed, for example"
                            + " 20g; 0 to write to memory (default: 8g, and with --rm or without a name 0).",
            converter = MemorySize.class)
    private @Nullable Integer disk;

    @Mixin
    private DiskLimitOptions diskLimits = new DiskLimitOptions();

    @Option(
            names = "--pull",
            paramLabel = "POLICY",
            description = "When to ask the registry: missing, always or never (default: ${DEFAULT-VALUE}).",
            defaultValue = "missing")
    private PullPolicy pull = PullPolicy.MISSING;

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Option(
            names = "--stop-signal",
            paramLabel = "SIGNAL",
            description =
                    "By which its command is asked to end, such as SIGQUIT, 3 or SIGRTMIN+3 (default: the image's, or"
                            + " SIGTERM to every process).")
    private @Nullable String stopSignal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Mixin
    private SecretOptions secrets = new SecretOptions();

    @Mixin
    private LifecycleOptions lifecycle = new LifecycleOptions();

    boolean quiet() {
        return quiet;
    }

    LifecycleOptions lifecycle() {
        return lifecycle;
    }

    SandboxBuilder applyTo(SandboxBuilder builder) {
        builder.ephemeral(ephemeral).cpus(size.cpus()).memoryMib(size.memory()).pull(pull);
        if (name != null) {
            builder.name(name);
        }
        if (disk != null) {
            builder.diskMib(disk);
        }
        diskLimits.applyTo(builder);
        if (stopSignal != null) {
            builder.stopSignal(stopSignal);
        }
        if (entrypoint != null) {
            builder.entrypoint(entrypoint.isEmpty() ? new String[0] : new String[] {entrypoint});
        }
        lifecycle.applyTo(builder);
        return secrets.applyTo(network.applyTo(builder));
    }

    /** Applies what a sandbox of a template or a snapshot can be given. */
    RestoreBuilder applyTo(RestoreBuilder builder) {
        if (name != null) {
            builder.name(name).ephemeral(ephemeral);
        }
        network.publish(builder::publish);
        secrets.give(builder::secret);
        return builder;
    }
}
