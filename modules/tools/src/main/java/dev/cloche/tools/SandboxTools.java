package dev.cloche.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.CommandBuilder;
import dev.cloche.Sandbox;
import dev.cloche.SandboxFiles;
import dev.cloche.base.ClocheException;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs code, commands and files of an agent in one sandbox, and answers in words for its model. Every run is a new process;
 * what it leaves in files stays for the next.
 *
 * <pre>{@code
 * SandboxTools tools = SandboxTools.of(sandbox, ToolSettings.defaults());
 * String answer = tools.runCode(CodeLanguage.PYTHON, "print(6 * 7)");
 * }</pre>
 *
 * <p>What goes wrong in the sandbox is an answer too: a program that fails, loops or floods with what it wrote until then, one
 * that the image does not have, a file that is not there, a sandbox that has ended. Exceptions are for the application: its
 * own mistakes, and {@code vm.interrupted} for a thread that is interrupted.
 *
 * <p>Parameters that come from a model may be null, where it has left them out: that is an answer too.
 *
 * <p>Safe for use from several threads; calls do not wait for each other.
 */
public final class SandboxTools {
    private final Sandbox sandbox;
    private final ToolSettings settings;

    private SandboxTools(Sandbox sandbox, ToolSettings settings) {
        this.sandbox = sandbox;
        this.settings = settings;
    }

    /** Returns tools of a sandbox, which stays the caller's to close. */
    public static SandboxTools of(Sandbox sandbox, ToolSettings settings) {
        return new SandboxTools(sandbox, settings);
    }

    /** Runs a program in the language that a model names, and returns what it wrote and why it ended. */
    public String runCode(@Nullable String language, @Nullable String code) {
        if (language == null || code == null) {
            return missing(language == null ? "language" : "code");
        }
        Optional<CodeLanguage> known = CodeLanguage.named(language);
        return known.map(named -> runCode(named, code))
                .orElseGet(() ->
                        "There is no language \"" + language + "\" here. Use one of: " + CodeLanguage.names() + ".");
    }

    /** Runs a program and returns what it wrote and why it ended. */
    public String runCode(CodeLanguage language, String code) {
        return answer(() -> {
            // Beside the files of the agent, because each language looks there for what a program imports. It begins
            // with a letter, because Java makes the name of a class of it.
            String file = path("run_" + UUID.randomUUID().toString().substring(0, 8) + language.suffix());
            files().writeString(file, code);
            try {
                return run(language.environment(), language.program(), file);
            } catch (SpawnException.CommandNotFound missing) {
                return language.title() + " cannot be run: this sandbox has no program " + language.program()
                        + ", and nothing is installed. Use another language.";
            } finally {
                removeIfThere(file);
            }
        });
    }

    /** Runs a command line by {@code sh}, and returns what it wrote and why it ended. */
    public String runCommand(@Nullable String command) {
        if (command == null) {
            return missing("command");
        }
        return answer(() -> {
            files().makeDirectories(settings.workingDirectory());
            return run(Map.of(), "sh", "-c", command);
        });
    }

    private String run(Map<String, String> environment, String... words) {
        CommandBuilder command = sandbox.command(words)
                .workingDirectory(settings.workingDirectory())
                .timeout(settings.timeout())
                .outputLimit(settings.outputLimit());
        environment.forEach(command::environment);
        return ModelText.of((settings.user().isEmpty() ? command : command.user(settings.user())).run(), settings);
    }

    private void removeIfThere(String file) {
        try {
            files().remove(file);
        } catch (ClocheException gone) {
            // With the sandbox, or removed by the program itself.
        }
    }

    /** Returns the text of a file, or its beginning and a sentence that says how much it has. */
    public String readFile(@Nullable String path) {
        if (path == null) {
            return missing("path");
        }
        return answer(() -> {
            String file = path(path);
            // By a stream: the file may be larger than any text that a model can read, or be a device without an end.
            try (InputStream content = files().read(file)) {
                byte[] beginning = content.readNBytes(4 * settings.shownCharacters());
                boolean more = content.read() >= 0;
                return ModelText.ofFile(file, beginning, more, settings);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Makes a file of some text or replaces its content, and returns a sentence that says so. */
    public String writeFile(@Nullable String path, @Nullable String content) {
        if (path == null || content == null) {
            return missing(path == null ? "path" : "content");
        }
        return answer(() -> {
            byte[] bytes = content.getBytes(UTF_8);
            files().writeBytes(path(path), bytes);
            return "Wrote " + bytes.length + " bytes to " + path(path) + ".";
        });
    }

    /** Returns a line for each file of a directory, in the order of their names. */
    public String listFiles(@Nullable String path) {
        if (path == null) {
            return missing("path");
        }
        return answer(() -> {
            String directory = path(path);
            if (directory.equals(settings.workingDirectory())) {
                files().makeDirectories(directory);
            }
            List<FileInfo> found = files().list(directory);
            return ModelText.ofList(directory, found, settings);
        });
    }

    static String missing(String parameter) {
        return "The parameter " + parameter + " is missing.";
    }

    private String path(String path) {
        String given = path.strip();
        if (given.startsWith("/")) {
            return given;
        }
        String directory = settings.workingDirectory();
        return given.isEmpty() || given.equals(".")
                ? directory
                : directory.endsWith("/") ? directory + given : directory + "/" + given;
    }

    private SandboxFiles files() {
        SandboxFiles files = sandbox.files().withTimeout(settings.timeout());
        return settings.user().isEmpty() ? files : files.asUser(settings.user());
    }

    static String answer(Supplier<String> work) {
        try {
            return work.get();
        } catch (VmException.Interrupted stopped) {
            throw stopped;
        } catch (ClocheException failed) {
            return ModelText.of(failed);
        }
    }
}
