package dev.cloche;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;

/**
 * A process that has a sandbox with a name, until it is killed. Arguments: state root, share directory, name, file for the
 * sandbox's id.
 */
final class LeavingProcess {
    private LeavingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options);
                Sandbox sandbox =
                        cloche.sandbox("base").name(arguments[2]).memoryMib(256).start()) {
            sandbox.exec("sh", "-c", "echo old > /mark").orThrow();
            Path id = Path.of(arguments[3]);
            Path written = Files.writeString(id.resolveSibling("id.new"), String.valueOf(sandbox.id()));
            Files.move(written, id, StandardCopyOption.ATOMIC_MOVE);
            new CountDownLatch(1).await();
        }
    }
}
