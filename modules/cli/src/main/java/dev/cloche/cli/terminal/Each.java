package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import java.util.List;
import java.util.function.Consumer;

/** The same for each of several names: the ones that fail are reported, and do not keep the others from it. */
public final class Each {
    private Each() {}

    /** Prints the names of those that succeed. */
    public static int of(List<String> names, Consumer<String> action) {
        return of(names, action, System.out::println);
    }

    public static int of(List<String> names, Consumer<String> action, Consumer<String> done) {
        int exitCode = ExitCodes.OK;
        for (String name : names) {
            try {
                action.accept(name);
                done.accept(name);
            } catch (ClocheException e) {
                ErrorReport.print(e, System.err);
                exitCode = ExitCodes.FAILURE;
            }
        }
        return exitCode;
    }
}
