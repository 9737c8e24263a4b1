package dev.cloche.springai;

import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Language;
import dev.cloche.tools.InterpreterTools;
import dev.cloche.tools.ToolSettings;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Has a sandbox for each conversation, started at its first call of a tool and ended when none came for long enough. One that
 * has ended by itself is replaced by the next call. Thread-safe; to be closed with the application.
 *
 * <pre>{@code
 * @Bean
 * ConversationSandboxes sandboxes(Cloche cloche) {
 *     return ConversationSandboxes.of(() -> cloche.sandbox("python:3.13").start(), Duration.ofMinutes(15));
 * }
 * }</pre>
 */
public final class ConversationSandboxes implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConversationSandboxes.class.getName());

    private final IdleResources<Conversation> sandboxes;
    private final ScheduledExecutorService timer;

    private ConversationSandboxes(IdleResources<Conversation> sandboxes, Duration pause) {
        this.sandboxes = sandboxes;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("cloche-conversations").factory());
        var _ = timer.scheduleWithFixedDelay(this::endIdle, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Returns sandboxes that are started by {@code starter}.
     *
     * @param idle how long a conversation may call no tool until its sandbox is ended, from one second on; that is looked for
     *     four times in this time, and at least once a minute
     */
    public static ConversationSandboxes of(Supplier<Sandbox> starter, Duration idle) {
        return of(starter, idle, InstantSource.system());
    }

    static ConversationSandboxes of(Supplier<Sandbox> starter, Duration idle, InstantSource clock) {
        if (idle.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new ConversationException.InvalidSettings(
                    "An idle time of " + idle + " is too short.", "Choose a second or more.");
        }
        Duration quarter = idle.dividedBy(4);
        Duration minute = Duration.ofMinutes(1);
        return new ConversationSandboxes(
                new IdleResources<>(() -> new Conversation(starter.get()), Conversation::isAlive, idle, clock),
                quarter.compareTo(minute) < 0 ? quarter : minute);
    }

    /**
     * Does something with the sandbox of a conversation, which is not idle meanwhile; starts it if there is none.
     *
     * @throws ClocheException as the start does, or if this is closed
     */
    public <R> R use(String conversation, Function<Sandbox, R> work) {
        return sandboxes.use(conversation, its -> work.apply(its.sandbox()));
    }

    /**
     * Does something with an interpreter in the sandbox of a conversation; that its language does not start there is an answer for
     * the model.
     */
    String useInterpreter(
            String conversation, Language language, ToolSettings settings, Function<InterpreterTools, String> work) {
        return sandboxes.use(conversation, its -> {
            InterpreterTools tools;
            try {
                tools = its.interpreter(language, settings);
            } catch (InterpreterException unusable) {
                return unusable.sentence();
            }
            return work.apply(tools);
        });
    }

    /** Ends the sandbox of a conversation that is over, if it has one, with what runs in it. */
    public void end(String conversation) {
        sandboxes.end(conversation);
    }

    /** Ends the sandboxes of all conversations that are idle. Happens by itself, too. */
    void endIdle() {
        try {
            sandboxes.closeIdle();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The sandbox of an idle conversation could not be ended.", e);
        }
    }

    /** Ends all sandboxes, with what runs in them. */
    @Override
    public void close() {
        timer.shutdownNow();
        sandboxes.close();
    }
}
