package dev.cloche;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;

/**
 * A process that starts a detached sandbox with a counter, a web server and a command of which it reads the beginning, suspends the
 * sandbox, and waits to be killed. Arguments: state root, share directory, directory of what it found.
 */
final class SuspendingProcess {
    static final String SANDBOX = "counts";
    static final int PORT = 8080;
    static final int LINES = 60_000;
    private static final int ENOUGH = 30_000;

    private SuspendingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        Path found = Path.of(arguments[2]);
        try (Cloche cloche = Cloche.open(options)) {
            cloche.sandbox("base")
                    .name(SANDBOX)
                    .memoryMib(256)
                    .command(
                            "sh",
                            "-c",
                            "echo $$ > /tmp/pid; i=0; while :; do i=$((i+1)); echo $i > /tmp/next;"
                                    + " mv /tmp/next /tmp/count; echo $i; sleep 0.2; done")
                    .detached()
                    .start();
            try (Sandbox sandbox = cloche.connect(SANDBOX)) {
                sandbox.exec("sh", "-c", "mkdir /www && echo well > /www/health && httpd -p " + PORT + " -h /www")
                        .orThrow();
                try (Execution execution = sandbox.command("seq", String.valueOf(LINES))
                        .acknowledged(true)
                        .start()) {
                    Files.writeString(found.resolve("id"), String.valueOf(execution.id()));
                    read(execution, found.resolve("output"));
                    Files.writeString(found.resolve("pids"), pids(sandbox));
                    Files.writeString(found.resolve("count"), sandbox.files().readString("/tmp/count"));
                    sandbox.suspend();
                }
            }
            Files.writeString(found.resolve("new"), "suspended");
            Files.move(found.resolve("new"), found.resolve("done"), StandardCopyOption.ATOMIC_MOVE);
            new CountDownLatch(1).await();
        }
    }

    /** Returns the processes that stay, each with its pid and when it started. */
    static String pids(Sandbox sandbox) {
        return sandbox.exec(
                        "sh",
                        "-c",
                        "for p in $(cat /tmp/pid) $(pidof httpd); do awk '{print $1, $22}' /proc/$p/stat; done")
                .stdoutText();
    }

    private static void read(Execution execution, Path file) throws Exception {
        byte[] chunk = new byte[4096];
        InputStream from = execution.stdout();
        try (FileChannel to = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            while (execution.stdoutOffset() < ENOUGH) {
                int n = from.read(chunk);
                to.write(ByteBuffer.wrap(chunk, 0, n));
                execution.acknowledge(execution.stdoutOffset(), 0);
            }
        }
    }
}
