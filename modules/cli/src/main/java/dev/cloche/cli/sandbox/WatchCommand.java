package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.SandboxFiles;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "watch",
        description = {
            "Print what changes in a directory of a running sandbox, as it changes.",
            "",
            "A line for each change: created, written, removed, renamed (by the old name; the new one is created) or"
                    + " attributes, and the name in the directory. \"missed\" says that there were more changes than could"
                    + " be told: look at all of it again. Ends with SIGINT, SIGTERM, or the directory.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche watch -r build /work", "  cloche watch --format json web /var/log"})
final class WatchCommand implements Callable<Integer> {
    @Option(
            names = {"-r", "--recursive"},
            description = "Also what is below the directories in it, up to 8,192 of them.")
    private boolean recursive;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER[:GROUP]",
            description = "With the rights of this user of the sandbox, in place of root's.")
    private @Nullable String user;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "PATH", description = "A directory in it, an absolute path.")
    private String path = "";

    @Override
    public Integer call() {
        FileWatch.Options options = recursive ? FileWatch.Options.TREE : FileWatch.Options.DIRECTORY;
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            SandboxFiles files =
                    user == null ? sandbox.files() : sandbox.files().asUser(user);
            try (FileWatch watch = files.watch(path, format.json() ? options.withFiles() : options)) {
                for (FileWatch.Event event : watch) {
                    print(event);
                    if (System.out.checkError()) {
                        // The reader of the output has left.
                        return ExitCodes.OK;
                    }
                }
            }
        }
        return ExitCodes.OK;
    }

    private void print(FileWatch.Event event) {
        switch (event) {
            case FileWatch.Event.Changed changed ->
                print(EnumNames.of(changed.change()), changed.name(), changed.file());
            case FileWatch.Event.Missed _ -> print("missed", "", Optional.empty());
        }
    }

    private void print(String change, String changed, Optional<FileInfo> file) {
        if (format.json()) {
            JsonOutput.printLine(
                    System.out,
                    json -> json.field("event", change)
                            .field("name", changed)
                            .field("kind", file.map(info -> EnumNames.of(info.kind())))
                            .field(
                                    "size",
                                    file.map(info -> OptionalLong.of(info.size()))
                                            .orElseGet(OptionalLong::empty))
                            .field("modified", file.map(info -> info.modified().toString())));
        } else {
            System.out.println(Table.clean((change + " " + changed).strip()));
        }
    }
}
