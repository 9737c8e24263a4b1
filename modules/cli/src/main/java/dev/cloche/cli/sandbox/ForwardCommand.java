package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.PortForward;
import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.terminal.BrokenPipe;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.OutputLost;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "forward",
        aliases = "port-forward",
        customSynopsis = {
            "cloche forward [OPTIONS] SANDBOX [ADDR:][HOST:]GUEST...",
            "cloche forward --stdio SANDBOX GUEST"
        },
        description = {
            "Have TCP ports of this host lead into a running sandbox for as long as this runs.",
            "",
            "The sandbox needs no network. Without ADDR only this host's programs can connect; without HOST, or with 0,"
                    + " it is any free port, which is printed. What listens in the sandbox sees a peer that is no loopback"
                    + " address, unless it trusts all addresses of its own machine. Ends with SIGINT, SIGTERM, or the"
                    + " sandbox.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche forward web 8080:80",
            "  cloche forward db 5432:5432 127.0.0.1:0:9187",
            "  ssh -o ProxyCommand='cloche forward --stdio dev 22' root@dev"
        })
final class ForwardCommand implements Callable<Integer> {
    private static final int PIECE = 16 * 1024;
    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);

    @Option(
            names = "--stdio",
            description = "Make one connection, of standard input and standard output, and end with it.")
    private boolean stdio;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "PORT",
            description = "The ports, or ranges like 8000-8010:8000-8010.")
    private List<String> texts = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        List<PublishedPort> ports = ports(texts);
        if (stdio && ports.size() != 1) {
            throw new UsageError("--stdio is one connection.", "Give one port: cloche forward --stdio " + name + " 22");
        }
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            if (stdio) {
                connect(sandbox, ports.getFirst().guestPort());
            } else {
                listen(cloche, sandbox, ports);
            }
        }
        return ExitCodes.OK;
    }

    static List<PublishedPort> ports(List<String> texts) {
        try {
            return texts.stream()
                    .flatMap(text -> PublishedPort.parse(text).stream())
                    .toList();
        } catch (VmException.Invalid wrong) {
            throw new UsageError(wrong.sentence(), wrong.remedy());
        }
    }

    private void listen(Cloche cloche, Sandbox sandbox, List<PublishedPort> ports) {
        List<PortForward> open = new ArrayList<>();
        try {
            ports.forEach(port -> open.add(sandbox.forward(port)));
            open.forEach(forward -> System.out.println(forward.port().hostAddress() + ":"
                    + forward.port().hostPort() + " -> " + forward.port().guestPort()));
            System.out.flush();
            // SIGINT and SIGTERM end the JVM, and with it the ports.
            var _ = cloche.sandboxes().await(name, Set.of(SandboxStatus.STOPPED, SandboxStatus.CRASHED));
        } finally {
            open.forEach(PortForward::close);
        }
    }

    /** Ends with the guest's side: a client that still reads its input would not end by itself. */
    private static void connect(Sandbox sandbox, int port) throws IOException {
        try (GuestStream guest = sandbox.dial(port)) {
            // A read of a terminal or pipe cannot be interrupted: the thread ends with the process.
            Thread.ofPlatform().daemon().name("stdin").start(() -> feed(guest));
            InputStream in = Channels.newInputStream(guest);
            byte[] piece = new byte[PIECE];
            for (int length = read(in, piece); length >= 0; length = read(in, piece)) {
                OUT.write(piece, 0, length);
            }
        } catch (IOException lost) {
            if (!BrokenPipe.is(lost)) {
                throw new OutputLost(lost);
            }
        }
    }

    /** Reads what the guest says; why it says no more is in the words of what happened to it. */
    private static int read(InputStream guest, byte[] piece) {
        try {
            return guest.read(piece);
        } catch (IOException broken) {
            throw broken.getCause() instanceof ClocheException known ? known : new UncheckedIOException(broken);
        }
    }

    private static void feed(GuestStream guest) {
        try {
            InputStream in = new FileInputStream(FileDescriptor.in);
            in.transferTo(Channels.newOutputStream(guest));
            guest.shutdownOutput();
        } catch (IOException | RuntimeException ended) {
            // The other direction tells why.
        }
    }
}
