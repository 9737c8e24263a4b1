package dev.cloche.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

@Command(
        name = "cloche",
        description = "Run untrusted code in fast local microVMs.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        mixinStandardHelpOptions = true,
        subcommands = {
            RunCommand.class,
            ExecCommand.class,
            PsCommand.class,
            StopCommand.class,
            RmCommand.class,
            PullCommand.class,
            ImagesCommand.class,
            DoctorCommand.class,
            VersionCommand.class,
            CompletionCommand.class,
            HelpCommand.class
        },
        footerHeading = "%nStart here:%n",
        footer = {
            "  cloche doctor                     whether this host can run sandboxes, and how to fix it",
            "  cloche run base -- echo hello     a first command in a microVM",
            "  cloche help run                   all options of a command",
            "",
            "Environment:",
            "  CLOCHE_HOME   where images and records are kept (default: ~/.local/share/cloche)",
            "  CLOCHE_SHARE  where the kernel, the guard and the base image are, if not beside the program"
        })
final class ClocheCommand {}
