package dev.cloche.cli.copy;

import dev.cloche.Cloche;
import dev.cloche.CopyBuilder;
import dev.cloche.SandboxFiles;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.copy.CopyDestination.Present;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.Table;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Does what {@code cp} and {@code machine cp} have in common: all but opening the guest's files. */
public final class CopyWork {
    /** The files of a guest, and the connection to it. */
    public record Source(SandboxFiles files, AutoCloseable connection) {}

    @Option(
            names = {"-a", "--archive"},
            description = "Keep the owners' numbers too; out of a sandbox only for root.")
    private boolean archive;

    @Option(
            names = {"-L", "--follow-link"},
            description = "Copy what a SRC that is a symbolic link leads to.")
    private boolean followLink;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show neither the progress nor what was left out.")
    private boolean quiet;

    @Parameters(arity = "2..*", paramLabel = "PATH", description = "Paths of the host, or SANDBOX:PATH.")
    private List<String> arguments = new ArrayList<>();

    /**
     * Copies what the arguments say.
     *
     * @param connect to the guest of a name
     */
    public int run(BiFunction<Cloche, String, Source> connect) throws Exception {
        List<CopyPath> paths = arguments.stream().map(CopyPath::parse).toList();
        CopyPath destination = paths.getLast();
        List<CopyPath> sources = paths.subList(0, paths.size() - 1);
        String sandbox = sandboxOf(sources, destination);
        try (SignalForwarding signals = new SignalForwarding()) {
            return signals.exitCode(() -> {
                try (Cloche cloche = Cloche.open();
                        CopyProgress progress = new CopyProgress(!quiet && ProgressDisplay.errIsTerminal())) {
                    Source guest = connect.apply(cloche, sandbox);
                    try (AutoCloseable _ = guest.connection()) {
                        copy(guest.files(), sources, destination, progress);
                    }
                }
                return ExitCodes.OK;
            });
        }
    }

    /** The one sandbox of the arguments, which has to be on one side of them. */
    private static String sandboxOf(List<CopyPath> sources, CopyPath destination) {
        List<Optional<String>> from =
                sources.stream().map(CopyPath::sandbox).distinct().toList();
        if (from.size() > 1
                || from.getFirst().isPresent() == destination.sandbox().isPresent()) {
            throw new UsageError(
                    "One side of a copy is the host, the other one sandbox.",
                    "Write paths of a sandbox as SANDBOX:PATH, and of the host with ./ before a name that has a colon.");
        }
        return from.getFirst().or(destination::sandbox).orElseThrow();
    }

    private void copy(SandboxFiles files, List<CopyPath> sources, CopyPath destination, CopyProgress progress)
            throws IOException {
        boolean in = destination.sandbox().isPresent();
        Present there = in ? inSandbox(files, destination) : onHost(destination);
        if (sources.size() > 1 && there != Present.DIRECTORY) {
            throw new UsageError(
                    "The destination of several sources has to be a directory.", "Make '" + destination + "' first.");
        }
        CopyBuilder copy = files.copy().owners(archive).progress(progress);
        for (CopyPath source : sources) {
            // What ends like a directory means one, also if it is a link to one.
            boolean follow = followLink || source.namesDirectory();
            copy.followLink(follow);
            report(
                    source,
                    in
                            ? in(copy, source, follow, destination, there)
                            : out(copy, files, source, follow, destination, there),
                    progress);
        }
    }

    private static CopyReport in(
            CopyBuilder copy, CopyPath source, boolean follow, CopyPath destination, Present there) {
        Path path = Path.of(source.plain());
        boolean directory = follow ? Files.isDirectory(path) : Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        String target = CopyDestination.of(source, directory, destination, there);
        // The destination may be a link to a directory.
        return copy.in(path, there == Present.DIRECTORY && source.namesContent() ? target + "/." : target);
    }

    private static CopyReport out(
            CopyBuilder copy, SandboxFiles files, CopyPath source, boolean follow, CopyPath destination, Present there)
            throws IOException {
        FileInfo info = follow ? files.stat(source.plain()) : files.statLink(source.plain());
        boolean directory = info.kind() == FileKind.DIRECTORY;
        Path target = Path.of(CopyDestination.of(source, directory, destination, there));
        // The way to the destination may lead through links of the host's own; below it none is followed.
        return copy.out(
                source.plain(), there == Present.DIRECTORY && source.namesContent() ? target.toRealPath() : target);
    }

    private static Present onHost(CopyPath destination) {
        Path path = Path.of(destination.path());
        if (Files.isDirectory(path)) {
            return Present.DIRECTORY;
        }
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? Present.OTHER : Present.NOTHING;
    }

    private static Present inSandbox(SandboxFiles files, CopyPath destination) {
        try {
            return files.stat(destination.plain()).kind() == FileKind.DIRECTORY ? Present.DIRECTORY : Present.OTHER;
        } catch (ClocheException missing) {
            if (missing.code().equals("vm.file.no-such-file")) {
                return Present.NOTHING;
            }
            throw missing;
        }
    }

    private void report(CopyPath source, CopyReport result, CopyProgress progress) {
        progress.close();
        if (quiet) {
            return;
        }
        for (CopyReport.LeftOut left : result.leftOut()) {
            String path = left.path().isEmpty() ? source.toString() : source.plain() + "/" + left.path();
            System.err.println("cloche: '" + Table.clean(path) + "' "
                    + switch (left.reason()) {
                        case SPECIAL_FILE -> "is a device, FIFO or socket, and was left out";
                        case VANISHED -> "vanished during the copy, and was left out";
                        case CHANGED -> "changed during the copy, and may be half old and half new";
                    });
        }
        long more = result.leftOutCount() - result.leftOut().size();
        if (more > 0) {
            System.err.println("cloche: and " + more + " more");
        }
    }
}
