package dev.cloche;

/**
 * The main command of a sandbox that outlives this process and ends with that command, unless it is to {@link #stay()}.
 *
 * <pre>{@code
 * SandboxInfo web = cloche.sandbox("nginx").name("web").detached().start();
 * }</pre>
 */
public final class DetachedCommand extends CommandSetup<DetachedCommand> {
    private final SandboxBuilder sandbox;
    private boolean stays;

    DetachedCommand(SandboxBuilder sandbox) {
        this.sandbox = sandbox;
    }

    /**
     * Has the sandbox run no main command, and go on until it is stopped: one to be used by commands of its own.
     *
     * <pre>{@code
     * cloche.sandbox("debian").name("box").detached().stay().start();
     * try (Sandbox box = cloche.connect("box")) {
     *     box.exec("apt-get", "update");
     * }
     * }</pre>
     */
    public DetachedCommand stay() {
        stays = true;
        return this;
    }

    /**
     * Starts the sandbox and returns when its main command runs. What it writes goes to {@link Sandboxes#log}.
     *
     * @throws dev.cloche.base.ClocheException as {@link SandboxBuilder#start()} and {@link CommandBuilder#start()} do
     */
    public SandboxInfo start() {
        return sandbox.startDetached(options(), stays);
    }

    /**
     * Records the sandbox, with its image, without starting it; {@link Sandboxes#start} does that.
     *
     * @throws dev.cloche.base.ClocheException as {@link SandboxBuilder#start()} does
     */
    public SandboxInfo create() {
        return sandbox.create(options(), stays);
    }

    /**
     * Connects to the sandbox of this name where there is one that runs, and starts it otherwise: again, with its image, disk and
     * main command, if it was created or has ended, else as this builder says. Programs that call this at once get the same
     * sandbox.
     *
     * <pre>{@code
     * try (Sandbox redis = cloche.sandbox("redis").name("redis").publish(6379).detached().connectOrStart()) {
     *     redis.await(Ready.port(6379), Duration.ofSeconds(30));
     * }
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException if it has no name, is paused or ending, or as {@link #start()} does
     */
    public Sandbox connectOrStart() {
        return sandbox.connectOrStart(options(), stays);
    }

    @Override
    DetachedCommand self() {
        return this;
    }
}
