package dev.cloche.junit;

import dev.cloche.Execution;
import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** The main command of a sandbox, whose output is read as it comes. Thread-safe. */
final class MainCommand {
    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);
    /** How long to wait for what the guest has and this process has not read yet. */
    private static final Duration REST = Duration.ofSeconds(10);

    private final Sandbox sandbox;
    private final Execution execution;
    private final List<AwaitedText> awaited;
    private final OutputTail output;
    private final CompletableFuture<ExitStatus> end;

    private MainCommand(Sandbox sandbox, Execution execution, List<AwaitedText> awaited) {
        this.sandbox = sandbox;
        this.execution = execution;
        this.awaited = awaited;
        output = new OutputTail(awaited);
        VIRTUAL.execute(() -> output.read(execution.stdout()));
        VIRTUAL.execute(() -> output.read(execution.stderr()));
        end = CompletableFuture.supplyAsync(execution::await, VIRTUAL);
    }

    /** @param texts that can be waited for */
    static MainCommand start(Sandbox sandbox, List<String> texts) {
        return new MainCommand(
                sandbox,
                sandbox.mainCommand().start(),
                texts.stream().map(AwaitedText::new).toList());
    }

    /**
     * Runs a wait for this command.
     *
     * @throws TestSandboxException.CommandEnded if the command ends first
     */
    void await(Runnable wait) {
        CompletableFuture<Void> ready = CompletableFuture.runAsync(wait, VIRTUAL);
        try {
            CompletableFuture.anyOf(ready, end).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof ClocheException known ? known : e;
        }
        if (!ready.isDone()) {
            throw new TestSandboxException.CommandEnded(end.join());
        }
    }

    /** @throws TestSandboxException.NotWritten if it has not written that text by then */
    void awaitText(String text, Duration limit) {
        if (awaited.stream().filter(known -> known.is(text)).noneMatch(known -> known.await(limit))) {
            throw new TestSandboxException.NotWritten(text);
        }
    }

    /** Returns the latest of what it wrote until now. */
    String output() {
        output.await(written().orElse(Long.MAX_VALUE), REST);
        return output.text();
    }

    /** Returns how many bytes it wrote; empty if the sandbox has ended, after which no more come. */
    private Optional<Long> written() {
        try {
            return sandbox.executions().stream()
                    .filter(info -> info.id() == execution.id())
                    .map(MainCommand::written)
                    .findFirst();
        } catch (ClocheException ended) {
            return Optional.empty();
        }
    }

    private static long written(ExecutionInfo info) {
        return info.stdout().to() + info.stderr().to();
    }
}
