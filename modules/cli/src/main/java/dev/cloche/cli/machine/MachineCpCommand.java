package dev.cloche.cli.machine;

import dev.cloche.Machine;
import dev.cloche.cli.copy.CopyWork;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "cp",
        customSynopsis = {"cloche machine cp [OPTIONS] SRC... NAME:DEST", "cloche machine cp [OPTIONS] NAME:SRC... DEST"
        },
        description = {
            "Copy files and directories between the host and a running machine.",
            "",
            "As cloche cp does; see: cloche cp --help",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche machine cp project dev:/srv       /srv/project, if /srv is a directory",
            "  cloche machine cp dev:/var/log/. logs    what is in /var/log, into the directory logs"
        })
final class MachineCpCommand implements Callable<Integer> {
    @Mixin
    private CopyWork work = new CopyWork();

    @Override
    public Integer call() throws Exception {
        return work.run((cloche, name) -> {
            Machine machine = cloche.machines().connect(name);
            return new CopyWork.Source(machine.files(), machine);
        });
    }
}
