package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands that make machines of others and of archives. */
final class MachineCopyCommands {
    private MachineCopyCommands() {}

    @Command(
            name = "clone",
            description = {
                "Make a machine with a copy of another one's disk; a running one goes on, its files are frozen for a moment.",
                "",
                "The clone has an identity of its own, and publishes no ports.",
                ""
            })
    static final class Clone implements Callable<Integer> {
        @Option(
                names = "--memory",
                description = "Of a running machine: its memory too; the clone continues where it was.")
        private boolean memory;

        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "NEW", description = "The name of the clone.")
        private String next = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                boolean published = !cloche.machines().get(name).publish().isEmpty();
                var _ = cloche.machines().copy(name, next, memory);
                if (published) {
                    System.err.println(
                            "cloche: the ports that " + name + " publishes are not cloned; give the clone its own"
                                    + " with: cloche machine set " + next + " --publish PORT");
                }
            }
            System.out.println(next);
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "adopt",
            description = {
                "Give a copy of a machine's directory an identity of its own; without one it is refused.",
                "",
                "It gets the name of its directory, boots from the disk that was copied, and publishes no ports. What the original has"
                        + " running or in memory stays the original's. To copy a machine, better use: cloche machine clone",
                ""
            })
    static final class Adopt implements Callable<Integer> {
        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Parameters(index = "0", paramLabel = "COPY", description = "The name of the directory.")
        private String name = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                var _ = cloche.machines().adopt(name, progress);
            }
            System.out.println(name);
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "export",
            description = "Write a machine into one file: configuration and disk, with checksums, compressed by zstd.")
    static final class Export implements Callable<Integer> {
        @Option(
                names = {"-o", "--output"},
                required = true,
                paramLabel = "FILE",
                description = "A file that does not exist yet.")
        private Path output = Path.of("");

        @Parameters(index = "0", paramLabel = "NAME", description = "The machine; it does not run.")
        private String name = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                cloche.machines().export(name, output);
            }
            System.out.println(output);
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "import",
            description =
                    "Make a machine of a file that cloche machine export wrote. A damaged one leaves nothing behind.")
    static final class Import implements Callable<Integer> {
        @Option(names = "--name", paramLabel = "NAME", description = "Its name (default: the one that it had).")
        private @Nullable String name;

        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Parameters(index = "0", paramLabel = "FILE", description = "The file.")
        private Path file = Path.of("");

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                MachineInfo made = name == null
                        ? cloche.machines().importFrom(file, progress)
                        : cloche.machines().importFrom(file, name, progress);
                System.out.println(made.name());
            }
            return ExitCodes.OK;
        }
    }
}
