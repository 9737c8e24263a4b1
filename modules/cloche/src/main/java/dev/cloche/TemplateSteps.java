package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Printable;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.Template;
import dev.cloche.vm.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Does the steps of a template's recipe in a sandbox. For one thread. */
final class TemplateSteps implements AutoCloseable {
    private static final int TAIL = 4_096;
    /** As the check of a new VM of a pool has. */
    private static final Duration ON_CLONE_LIMIT = Duration.ofMinutes(1);

    private static final int MOST_OF_A_CLONE = 1 << 20;
    /** Between two looks at whether what was started has failed. */
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** A page is asked anew after each look, and its first answer may take longer than others. */
    private static final Duration LOOK_AT_PAGE = Duration.ofSeconds(5);

    private final String template;
    private final Sandbox sandbox;
    private final Duration readyLimit;
    private final OutputStream copy;
    private Optional<Started> started = Optional.empty();

    /** Describes what is to run on in the clones. */
    private record Started(List<String> words, Execution execution, Tail tail, CompletableFuture<ExitStatus> end) {}

    TemplateSteps(String template, Sandbox sandbox, Duration readyLimit, OutputStream copy) {
        this.template = template;
        this.sandbox = sandbox;
        this.readyLimit = readyLimit;
        this.copy = copy;
    }

    /**
     * Does all but what is done in each clone.
     *
     * @param code of each step that calls code, in their order
     */
    void run(Template.Recipe recipe, List<Consumer<Sandbox>> code) {
        Iterator<Consumer<Sandbox>> calls = code.iterator();
        for (Template.Recipe.Step step : recipe.steps()) {
            List<String> words = step.words();
            switch (step.kind()) {
                case COPY -> copy(Path.of(words.getFirst()), words.getLast());
                case RUN -> command(words);
                case CODE -> calls.next().accept(sandbox);
                case START -> start(words);
                case READY_PORT -> await(Ready.port(Integer.parseInt(words.getFirst())));
                case READY_HTTP -> await(Ready.http(Integer.parseInt(words.getFirst()), words.getLast()));
                case READY -> await(Ready.command(words.toArray(String[]::new)));
                case INTERPRETER, ON_CLONE -> {}
            }
        }
        refuseIfFailed();
    }

    /**
     * Returns the sources of copies that are gone, or in or below which something has changed since a moment. The kernel's own
     * times of changes are compared: those of contents are often set to earlier ones, by archives and checkouts.
     */
    static List<Path> changedSince(Instant then, Template.Recipe recipe) {
        return recipe.steps().stream()
                .filter(step -> step.kind() == Template.Recipe.Kind.COPY)
                .map(step -> Path.of(step.words().getFirst()))
                .filter(source -> hasChanged(source, then))
                .distinct()
                .toList();
    }

    /** What cannot be looked at may have changed. */
    private static boolean hasChanged(Path source, Instant then) {
        try (Stream<Path> all = Files.walk(source)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                FileTime change = (FileTime) Files.getAttribute(each, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
                if (change.toInstant().isAfter(then)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | UncheckedIOException unknown) {
            return true;
        }
    }

    /**
     * Does what is done in a clone before a caller has it.
     *
     * @throws SandboxException.PreparationFailed if it does not end with 0, or not in time
     */
    static void onClone(String template, Sandbox clone, List<String> words) {
        ExecResult result = clone.command(words.toArray(String[]::new))
                .timeout(ON_CLONE_LIMIT)
                .outputLimit(MOST_OF_A_CLONE)
                .run();
        if (result.timedOut() || !result.exit().success()) {
            String why = result.timedOut()
                    ? quoted(words) + " did not end in " + ON_CLONE_LIMIT.toSeconds() + " s"
                    : ended(words, result.exit());
            throw SandboxException.PreparationFailed.ofClone(
                    template, why, end(result.stdoutText() + result.stderrText()));
        }
    }

    private static String end(String output) {
        return output.substring(Math.max(0, output.length() - TAIL));
    }

    private void copy(Path source, String target) {
        if (Files.notExists(source)) {
            throw failed(source + " is not there to be copied", "");
        }
        var _ = sandbox.files().copyIn(source, target);
    }

    private void command(List<String> words) {
        Tail tail = new Tail(copy);
        try (Execution running = sandbox.command(words.toArray(String[]::new)).start()) {
            ExitStatus exit = drained(running, tail);
            tail.requireCopied();
            if (!exit.success()) {
                throw failed(ended(words, exit), tail.text());
            }
        }
    }

    private void start(List<String> words) {
        Execution running =
                sandbox.command(words.toArray(String[]::new)).start().leaveRunning();
        Tail tail = new Tail(copy);
        CompletableFuture<ExitStatus> end = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                end.complete(drained(running, tail));
            } catch (RuntimeException over) {
                // Its sandbox has ended; what waits for it is told so.
                end.completeExceptionally(over);
            }
        });
        started = Optional.of(new Started(words, running, tail, end));
    }

    /** Reads both outputs to their ends. */
    private static ExitStatus drained(Execution running, Tail tail) {
        Thread errors = Thread.startVirtualThread(() -> tail.take(running.stderr()));
        tail.take(running.stdout());
        ExitStatus exit = running.await();
        try {
            errors.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return exit;
    }

    /** Waits in short pieces, so that the end of what was started is seen. */
    private void await(Ready condition) {
        long end = System.nanoTime() + readyLimit.toNanos();
        Duration longest = condition instanceof Ready.Http ? LOOK_AT_PAGE : LOOK;
        Duration look = longest.compareTo(readyLimit) < 0 ? longest : readyLimit;
        while (true) {
            try {
                sandbox.await(condition, look);
                return;
            } catch (SandboxException.NotReady notYet) {
                refuseIfFailed();
                if (System.nanoTime() - end >= 0) {
                    throw failed(
                            notYet.sentence().replaceFirst("[.]$", ""),
                            started.map(it -> it.tail().text()).orElse(""));
                }
            }
        }
    }

    /** A program that has put itself into the background has ended with 0. */
    private void refuseIfFailed() {
        if (started.isEmpty() || !started.get().end().isDone()) {
            return;
        }
        ExitStatus exit;
        try {
            exit = started.get().end().join();
        } catch (RuntimeException over) {
            throw over.getCause() instanceof ClocheException known ? known : over;
        }
        started.get().tail().requireCopied();
        if (!exit.success()) {
            throw failed(
                    ended(started.get().words(), exit), started.get().tail().text());
        }
    }

    private static String ended(List<String> words, ExitStatus exit) {
        return quoted(words) + " ended with exit code " + exit.shellCode();
    }

    private static String quoted(List<String> words) {
        return "\"" + Printable.of(String.join(" ", words)) + "\"";
    }

    private SandboxException.PreparationFailed failed(String why, String output) {
        return SandboxException.PreparationFailed.ofTemplate(template, why, output);
    }

    @Override
    public void close() {
        started.ifPresent(it -> it.execution().close());
    }

    /** Keeps the end of what two streams bring, and passes all of it on. */
    private static final class Tail {
        private final OutputStream copy;
        private byte[] kept = new byte[0];
        private Optional<IOException> broken = Optional.empty();

        Tail(OutputStream copy) {
            this.copy = copy;
        }

        void take(InputStream from) {
            byte[] piece = new byte[TAIL];
            try {
                for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
                    add(piece, length);
                }
            } catch (IOException lost) {
                // Its end is told by who waits for it.
            }
        }

        private synchronized void add(byte[] piece, int length) {
            byte[] longer = Arrays.copyOf(kept, kept.length + length);
            System.arraycopy(piece, 0, longer, kept.length, length);
            kept = Arrays.copyOfRange(longer, Math.max(0, longer.length - TAIL), longer.length);
            if (broken.isPresent()) {
                return;
            }
            try {
                copy.write(piece, 0, length);
                copy.flush();
            } catch (IOException e) {
                // What is not read any more would hold up the command.
                broken = Optional.of(e);
            }
        }

        synchronized void requireCopied() {
            if (broken.isPresent()) {
                throw new UncheckedIOException(broken.get());
            }
        }

        synchronized String text() {
            return new String(kept, StandardCharsets.UTF_8);
        }
    }
}
