package dev.cloche.sandbox.record;

import dev.cloche.base.Printable;
import dev.cloche.image.ImageConfig;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.vm.ExecRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Joins what an image says of its command with what the caller asks for, as the OCI image specification has it. */
public final class CommandLine {
    /** Of what an image says, in a message. */
    private static final int SHOWN = 40;

    private static final int MOST = 4096;

    private CommandLine() {}

    /**
     * Returns the image's entrypoint with the words of the command, or with the image's own if there are none; only the
     * words if they are whole.
     *
     * @throws SandboxException.NoCommand if that leaves nothing
     */
    private static List<String> ofImage(String reference, ImageConfig config, MainCommand main) {
        List<String> words = new ArrayList<>(main.whole() ? List.of() : config.entrypoint());
        words.addAll(main.words().isEmpty() && !main.whole() ? config.cmd() : main.words());
        if (words.isEmpty()) {
            throw new SandboxException.NoCommand(reference);
        }
        return words;
    }

    /**
     * Returns the image's own command for people to read, at most {@value #MOST} characters of it; empty if it has
     * none.
     */
    static String own(ImageConfig config) {
        List<String> words = new ArrayList<>(config.entrypoint());
        words.addAll(config.cmd());
        String text = String.join(" ", words);
        return text.substring(0, Math.min(text.length(), MOST));
    }

    /**
     * Returns what a sandbox is for.
     *
     * @throws SandboxException.NoCommand if neither it nor the image names a command
     */
    public static ExecRequest mainRequest(String image, MainCommand main, ImageConfig config) {
        ExecRequest request = request(ofImage(image, config, main), config, main.effectiveOptions(), true);
        StopSignal signal =
                main.stopSignal().or(() -> StopSignal.find(config.stopSignal())).orElse(StopSignal.TERM);
        // By SIGTERM every process of the guest is asked.
        return signal.equals(StopSignal.TERM) ? request : request.withStopSignal(signal.number());
    }

    /** Returns what is wrong with what an image says of its main command, and is left out. */
    public static Optional<String> doubt(MainCommand main, ImageConfig config) {
        String signal = config.stopSignal();
        boolean absurd = main.stopSignal().isEmpty()
                && !signal.isEmpty()
                && StopSignal.find(signal).isEmpty();
        return absurd
                ? Optional.of("the image's stop signal \""
                        + Printable.of(signal.substring(0, Math.min(signal.length(), SHOWN)))
                        + "\" is none; its command will be asked to end by SIGTERM")
                : Optional.empty();
    }

    /**
     * Returns the request for any command.
     *
     * @param createWorkingDirectory whether a missing directory is made that the caller named; the image's always is
     */
    public static ExecRequest request(
            List<String> words, ImageConfig config, CommandOptions options, boolean createWorkingDirectory) {
        ExecRequest request = ExecRequest.of(words.toArray(String[]::new))
                .withEnvironment(environment(config, options))
                .withUser(options.user().orElse(config.user()))
                .withWorkingDirectory(
                        workingDirectory(config, options),
                        createWorkingDirectory || options.workingDirectory().isEmpty())
                .withLimits(options.limits());
        request = options.terminal().map(request::withTerminal).orElse(request);
        request = options.acknowledged() ? request.acknowledged() : request;
        return options.stdin() ? request.withStdin() : request;
    }

    private static String workingDirectory(ImageConfig config, CommandOptions options) {
        String directory = options.workingDirectory().orElse(config.workingDir());
        return directory.startsWith("/") ? directory : "/" + directory;
    }

    private static Map<String, String> environment(ImageConfig config, CommandOptions options) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PATH", ExecRequest.DEFAULT_PATH);
        for (String variable : config.env()) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        environment.putAll(options.environment());
        return environment;
    }
}
