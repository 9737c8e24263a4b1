package dev.cloche.cli.process;

import dev.cloche.base.ClocheException;
import java.util.Optional;

/** There is no process of the id that was given. Code {@code process.unknown}, as in the library. */
final class NoSuchProcess extends ClocheException {
    private NoSuchProcess(String id) {
        super(
                "process.unknown",
                "There is no process \"" + id + "\".",
                "List them with: cloche process ls --all",
                null);
    }

    static <T> T orThrow(Optional<T> found, String id) {
        return found.orElseThrow(() -> new NoSuchProcess(id));
    }
}
