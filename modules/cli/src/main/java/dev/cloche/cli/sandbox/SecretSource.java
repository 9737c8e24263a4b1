package dev.cloche.cli.sandbox;

import dev.cloche.cli.terminal.UsageError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Names where the value of a secret is: never on the command line, which every user of a host can read. */
sealed interface SecretSource {
    /** The most that a guest's agent takes, and one byte more, to see whether a value is longer. */
    int READ_LIMIT = 64 * 1024 + 1;

    String WAYS = "Write --secret NAME for the environment variable of that name, --secret id=NAME,env=VARIABLE, or"
            + " --secret id=NAME,src=FILE.";

    String name();

    /** The value. */
    byte[] read(OwnEnvironment environment);

    record Variable(String name, String variable) implements SecretSource {
        @Override
        public byte[] read(OwnEnvironment environment) {
            return environment
                    .value(variable)
                    .orElseThrow(() -> new UsageError(
                            "The environment has no variable \"" + variable + "\" for the secret \"" + name + "\".",
                            "Set and export it. " + WAYS));
        }
    }

    record Content(String name, String file) implements SecretSource {
        @Override
        public byte[] read(OwnEnvironment environment) {
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                return in.readNBytes(READ_LIMIT);
            } catch (IOException | InvalidPathException e) {
                throw new UsageError(
                        "The file \"" + file + "\" of the secret \"" + name + "\" cannot be read.",
                        "Check its path, and that it is a file that you may read.");
            }
        }
    }

    /**
     * Parses the form that BuildKit uses, or a mere name.
     *
     * @throws UsageError which does not repeat what may be a value
     */
    static SecretSource parse(String option) {
        if (option.indexOf('=') < 0 && option.indexOf(',') < 0) {
            return new Variable(option, option);
        }
        Map<String, String> parts = new HashMap<>();
        for (String part : option.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0 || parts.putIfAbsent(part.substring(0, equals), part.substring(equals + 1)) != null) {
                throw notASource();
            }
        }
        String name = parts.remove("id");
        if (name == null || parts.size() != 1) {
            throw notASource();
        }
        Map.Entry<String, String> from = parts.entrySet().iterator().next();
        return switch (from.getKey()) {
            case "env" -> new Variable(name, from.getValue());
            case "src", "source" -> new Content(name, from.getValue());
            default -> throw notASource();
        };
    }

    private static UsageError notASource() {
        return new UsageError(
                "--secret names where a secret is, and never the secret: everybody on this host can read a command line.",
                WAYS);
    }
}
