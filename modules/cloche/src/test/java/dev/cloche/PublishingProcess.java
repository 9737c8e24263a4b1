package dev.cloche;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A process that starts a detached sandbox with published ports, and is killed. Arguments: state root, share directory, image,
 * file with the sandbox's script, file that is made once it runs, ports.
 */
final class PublishingProcess {
    static final String SANDBOX = "services";

    private PublishingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options)) {
            SandboxBuilder builder = cloche.sandbox(arguments[2]).name(SANDBOX).memoryMib(1024);
            for (String port : List.of(arguments).subList(5, arguments.length)) {
                builder = builder.publish(Integer.parseInt(port));
            }
            var _ = builder.command("sh", "-c", Files.readString(Path.of(arguments[3])))
                    .detached()
                    .start();
            Files.createFile(Path.of(arguments[4]));
            new CountDownLatch(1).await();
        }
    }
}
