package dev.cloche;

import java.nio.file.Path;

/**
 * A process that takes snapshots of the sandbox {@code parent}, or forks it, until it is killed. Arguments: state root, share
 * directory, {@code snapshot} or {@code fork}.
 */
final class ForkingProcess {
    private ForkingProcess() {}

    public static void main(String[] arguments) {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options)) {
            while (true) {
                if (arguments[2].equals("fork")) {
                    cloche.fork("parent").start(2).close();
                } else {
                    cloche.snapshots().create("parent", "again");
                    cloche.snapshots().remove("again");
                }
            }
        }
    }
}
