package dev.cloche;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A process that starts a detached sandbox, and in it a command whose output it writes to a file, until it is killed.
 * Arguments: state root, share directory, file for the command's id, file for its output.
 */
final class StartingProcess {
    static final String SANDBOX = "kept";
    static final int LINES = 60_000;
    /** What it reads at most, so that the command is at work when this process is killed. */
    private static final int ENOUGH = 60_000;

    private StartingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options)) {
            cloche.adopt();
            cloche.sandbox("base")
                    .name(SANDBOX)
                    .memoryMib(256)
                    .idleTimeout(Duration.ofSeconds(8))
                    .command("sleep", "600")
                    .detached()
                    .start();
            try (Sandbox sandbox = cloche.connect(SANDBOX);
                    Execution execution = sandbox.command("seq", String.valueOf(LINES))
                            .acknowledged(true)
                            .start()) {
                Files.writeString(Path.of(arguments[2]), String.valueOf(execution.id()));
                keep(execution, Path.of(arguments[3]));
            }
        }
    }

    /** Says that it has what is on the disk, and nothing else. */
    private static void keep(Execution execution, Path file) throws Exception {
        byte[] chunk = new byte[4096];
        try (InputStream from = execution.stdout();
                FileChannel to = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            for (int n = from.read(chunk); n >= 0 && execution.stdoutOffset() < ENOUGH; n = from.read(chunk)) {
                to.write(ByteBuffer.wrap(chunk, 0, n));
                execution.acknowledge(execution.stdoutOffset(), 0);
            }
            new CountDownLatch(1).await();
        }
    }
}
