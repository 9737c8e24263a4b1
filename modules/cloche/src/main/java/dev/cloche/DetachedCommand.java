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

    DetachedCommand(Function<CommandOptions, SandboxInfo> starter) {
        this.starter = starter;
    }

    /**
     * Starts the sandbox and returns when its main command runs. What it writes goes to {@link Cloche#log}.
     *
     * @throws dev.cloche.base.ClocheException as {@link SandboxBuilder#start()} and {@link CommandBuilder#start()} do
     */
    public SandboxInfo start() {
        return starter.apply(options());
    }

    @Override
    DetachedCommand self() {
        return this;
    }
}
