package dev.cloche;

import dev.cloche.sandbox.CommandOptions;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.ResourceLimit.Resource;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a command is to be run. What is not set is as the sandbox says, and else the image. Not safe for use from several threads.
 *
 * <pre>{@code
 * sandbox.command("make").workingDirectory("/src").user("www-data").environment("CI", "true").run();
 * }</pre>
 *
 * @param <T> the builder itself
 */
public abstract sealed class CommandSetup<T extends CommandSetup<T>>
        permits CommandBuilder, DetachedCommand, DurableCommand {
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<Resource, ResourceLimit> limits = new EnumMap<>(Resource.class);
    private @Nullable String workingDirectory;
    private @Nullable String user;

    CommandSetup() {}

    /**
     * Sets an environment variable, replacing the sandbox's and the image's of the same name.
     *
     * @param name without {@code =} or NUL; looked at when the command is started
     */
    public T environment(String name, String value) {
        environment.put(name, value);
        return self();
    }

    /** Sets the absolute path in the guest to start in. A sandbox's main command has it made if it is missing; others fail. */
    public T workingDirectory(String directory) {
        workingDirectory = directory;
        return self();
    }

    /** Sets who runs it: {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}, as the image's files say. */
    public T user(String nameOrId) {
        user = nameOrId;
        return self();
    }

    /**
     * Limits a resource of the command and of what it starts.
     *
     * @param soft what applies, {@link ResourceLimit#UNLIMITED} for none; the command may raise it up to {@code hard}
     * @param hard what {@code soft} may be raised to, not below it
     */
    public T limit(Resource resource, long soft, long hard) {
        limits.put(resource, new ResourceLimit(resource, soft, hard));
        return self();
    }

    abstract T self();

    /** Without anything that only one of the builders has. */
    CommandOptions options() {
        return new CommandOptions(
                environment,
                Optional.ofNullable(workingDirectory),
                Optional.ofNullable(user),
                false,
                Optional.empty(),
                false,
                List.copyOf(limits.values()));
    }
}
