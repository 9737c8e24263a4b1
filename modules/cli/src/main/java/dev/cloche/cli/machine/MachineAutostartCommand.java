package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Machines;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.UsageError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "autostart",
        description = {
            "Start machines that were made or set with --autostart together with your session.",
            "",
            "install     write a unit for your systemd (cloche-machines.service)",
            "uninstall   remove it",
            "start       what the unit does: recover all machines, and start those",
            "stop        what the unit does at the end: stop those",
            ""
        })
final class MachineAutostartCommand implements Callable<Integer> {
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** The action that the command takes. */
    enum Action {
        install,
        uninstall,
        start,
        stop
    }

    @Parameters(index = "0", paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}")
    private Action action = Action.install;

    @Override
    public Integer call() throws IOException {
        return switch (action) {
            case install -> install();
            case uninstall -> uninstall();
            case start -> start();
            case stop -> stop();
        };
    }

    private static int install() throws IOException {
        AutostartUnit.write(launcher(), ClocheOptions.ofEnvironment().home().toAbsolutePath());
        System.out.println(AutostartUnit.file());
        System.err.println("cloche: turn it on with: systemctl --user enable --now " + AutostartUnit.NAME);
        System.err.println("cloche: to start machines with the host, not with a login: loginctl enable-linger");
        return ExitCodes.OK;
    }

    private static int uninstall() throws IOException {
        if (Files.deleteIfExists(AutostartUnit.file())) {
            System.err.println("cloche: turn it off with: systemctl --user disable " + AutostartUnit.NAME
                    + "; the machines run on");
        }
        return ExitCodes.OK;
    }

    private static int start() {
        try (Cloche cloche = Cloche.open()) {
            Machines machines = cloche.machines();
            var _ = machines.recover();
            return Each.of(machines.autostarted(), name -> machines.start(name).close());
        }
    }

    private static int stop() {
        try (Cloche cloche = Cloche.open()) {
            Machines machines = cloche.machines();
            List<String> names = machines.autostarted();
            return Each.of(names, name -> machines.stop(name, GRACE));
        }
    }

    /** Returns the program that runs this, which says of itself where it is. */
    private static Path launcher() {
        Path launcher = Path.of(System.getProperty("cloche.launcher", ""));
        if (!launcher.isAbsolute() || !Files.isExecutable(launcher)) {
            throw new UsageError(
                    "The program that a unit would start is not known.",
                    "Install by the launcher: /path/to/cloche machine autostart install");
        }
        return launcher;
    }
}
