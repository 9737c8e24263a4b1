package dev.cloche.cli.sandbox;

import dev.cloche.Sandbox;
import dev.cloche.cli.copy.CopyWork;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "cp",
        customSynopsis = {"cloche cp [OPTIONS] SRC... SANDBOX:DEST", "cloche cp [OPTIONS] SANDBOX:SRC... DEST"},
        description = {
            "Copy files and directories between the host and a running sandbox, of this or any other process.",
            "",
            "Modes, times, symbolic links and holes are kept. If DEST is a directory, the copy goes into it; SRC/. means"
                    + " what is in SRC. Directories that are missing on the way to DEST in a sandbox are made. Devices,"
                    + " FIFOs and sockets are left out. Nothing is ever written outside of DEST, however the sandbox"
                    + " names its files.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche cp project web:/srv       /srv/project, if /srv is a directory",
            "  cloche cp web:/var/log/. logs    what is in /var/log, into the directory logs"
        })
final class CpCommand implements Callable<Integer> {
    @Mixin
    private CopyWork work = new CopyWork();

    @Override
    public Integer call() throws Exception {
        return work.run((cloche, name) -> {
            Sandbox sandbox = cloche.connect(name);
            return new CopyWork.Source(sandbox.files(), sandbox);
        });
    }
}
