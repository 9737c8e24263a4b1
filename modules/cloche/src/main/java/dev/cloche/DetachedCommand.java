package dev.cloche;

import dev.cloche.sandbox.CommandOptions;
import java.util.function.Function;

/**
 * The main command of a sandbox that outlives this process and ends with it.
 *
 * <pre>{@code
 * SandboxInfo web = cloche.sandbox("nginx").name("web").detached().start();
 * }</pre>
 */
public final class DetachedCommand extends CommandSetup<DetachedCommand> {
    private final Function<CommandOptions, SandboxInfo> starter;
    private final Function<CommandOptions, SandboxInfo> creator;

    DetachedCommand(Function<CommandOptions, SandboxInfo> starter, Function<CommandOptions, SandboxInfo> creator) {
        this.starter = starter;
        this.creator = creator;
    }

    /**
     * Starts the sandbox and returns when its main command runs. What it writes goes to {@link Sandboxes#log}.
     *
     * @throws dev.cloche.base.ClocheException as {@link SandboxBuilder#start()} and {@link CommandBuilder#start()} do
     */
    public SandboxInfo start() {
        return starter.apply(options());
    }

    /**
     * Records the sandbox, with its image, without starting it; {@link Sandboxes#start} does that.
     *
     * @throws dev.cloche.base.ClocheException as {@link SandboxBuilder#start()} does
     */
    public SandboxInfo create() {
        return creator.apply(options());
    }

    @Override
    DetachedCommand self() {
        return this;
    }
}
