package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.linux.HostSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The host is none that Cloche runs on, or does not let it use its state root; thrown by {@link
 * Cloche#open(ClocheOptions)}.
 *
 * <pre>{@code
 * try (Cloche cloche = Cloche.open(options.withHome(Path.of("/tmp")))) {
 *     …
 * } catch (HostException refused) {
 *     System.err.println(refused.code()); // host.state-root-open
 * }
 * }</pre>
 */
public abstract sealed class HostException extends ClocheException {
    private HostException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** Cloche has no VMs for this operating system or processor. Code {@code host.unsupported}. */
    public static final class Unsupported extends HostException {
        Unsupported(HostSystem system) {
            super(
                    "host.unsupported",
                    "Cloche runs on Linux on x86-64, and this is " + system.name() + " on " + system.architecture()
                            + ".",
                    "Use a host with Linux on x86-64; Cloche.isSupported() tells before.",
                    null);
        }
    }

    /** The state root cannot be made or read. Code {@code host.state-root-unusable}. */
    public static final class StateRootUnusable extends HostException {
        StateRootUnusable(Path home, Throwable cause) {
            super(
                    "host.state-root-unusable",
                    "The state root " + home + " cannot be used: " + sentenceOf(cause),
                    "Name another directory with CLOCHE_HOME, or make it yours.",
                    cause);
        }
    }

    /** Other users can enter the state root. Code {@code host.state-root-open}. */
    public static final class StateRootOpen extends HostException {
        StateRootOpen(Path home) {
            super(
                    "host.state-root-open",
                    "The state root " + home + " can be entered by other users.",
                    "Close it with: chmod 700 " + home,
                    null);
        }
    }

    /** The state root belongs to another user. Code {@code host.state-root-foreign}. */
    public static final class StateRootForeign extends HostException {
        StateRootForeign(Path home, String owner) {
            super(
                    "host.state-root-foreign",
                    "The state root " + home + " belongs to " + owner + ".",
                    "Name a directory of your own with CLOCHE_HOME.",
                    null);
        }
    }

    /** The temporary directory that was named cannot be used. Code {@code host.temporary-unusable}. */
    public static final class TemporaryUnusable extends HostException {
        TemporaryUnusable(Path directory, String why) {
            super(
                    "host.temporary-unusable",
                    "The temporary directory " + directory + " " + why + ".",
                    "Name another with CLOCHE_TMP or ClocheOptions.withTemporary, on a file system that is not mounted"
                            + " noexec.",
                    null);
        }
    }

    /** Nothing has the files that VMs are made with. Code {@code host.no-runtime}. */
    public static final class NoRuntime extends HostException {
        NoRuntime(List<Path> looked) {
            super(
                    "host.no-runtime",
                    "There is nothing that VMs are made with: no runtime artefact on the class path or the module path"
                            + (looked.isEmpty() ? "" : ", and no directory " + list(looked)),
                    "Add the dependency dev.cloche:cloche-runtime-linux-x86_64, or name the dist/share directory of an"
                            + " installation with CLOCHE_SHARE.",
                    null);
        }

        private static String list(List<Path> looked) {
            return looked.stream().map(Path::toString).collect(Collectors.joining(" or "));
        }
    }

    /** The settings cannot be read or understood. Code {@code host.config-invalid}. */
    public static final class ConfigInvalid extends HostException {
        ConfigInvalid(Path file, String what, @Nullable Throwable cause) {
            super(
                    "host.config-invalid",
                    "The settings in " + file + " cannot be used: " + what + ".",
                    "Mend the file; docs/operations.md says what it may have.",
                    cause);
        }
    }
}
