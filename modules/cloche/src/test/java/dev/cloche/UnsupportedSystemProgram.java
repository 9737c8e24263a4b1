package dev.cloche;

import dev.cloche.base.ClocheException;
import java.nio.file.Path;

/** Does what an application does first, in a JVM whose options do not let Cloche run. */
final class UnsupportedSystemProgram {
    private UnsupportedSystemProgram() {}

    public static void main(String[] arguments) {
        ClocheOptions options = ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0]));
        Cloche.prepare();
        System.out.println(Cloche.isSupported());
        try {
            Cloche.open(options).close();
            System.out.println("opened");
        } catch (ClocheException refused) {
            System.out.println(refused.code() + ": " + refused.getMessage());
        }
        for (HealthCheck check : Cloche.examine(options)) {
            System.out.println(check.verdict() + " " + check.name() + ": " + check.finding());
        }
    }
}
