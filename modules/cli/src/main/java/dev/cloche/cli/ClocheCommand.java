package dev.cloche.cli;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

@Command(
        name = "cloche",
        description = "Run untrusted code in fast local microVMs.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        usageHelpWidth = 100,
        footerHeading = "%nStart here:%n",
        footer = {
            "  cloche doctor                   whether this host can run sandboxes, and how to fix it",
            "  cloche run base -- echo hello   a first command in a microVM",
            "  cloche run --help               all options of a command",
            "",
            "Environment:",
            "  CLOCHE_HOME    where images and records are kept (default: ~/.local/share/cloche)",
            "  CLOCHE_SHARE   where the kernel, the guard and the base image are, if not beside the program",
            "  CLOCHE_ACCELERATOR  what runs guests: auto (default), kvm, or tcg, which is software emulation",
            "  CLOCHE_EMULATOR  which QEMU runs them: auto (default, the runtime's if it has one) or system",
            "  CLOCHE_PROGRAMS  whose passt and mkfs.ext4: auto (default, the host's where it has them) or runtime",
            "  CLOCHE_ISOLATION  the least of walls around it: auto (default), reduced, sealed or full",
            "  DOCKER_CONFIG  directory of the config.json with the logins for registries (default: ~/.docker)"
        })
@SuppressWarnings("UnusedVariable") // picocli acts on the two options by itself
final class ClocheCommand extends CommandGroup {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version and exit.")
    private boolean version;
}
