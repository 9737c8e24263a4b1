package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Tells whether this JVM lets Cloche make native calls: JDK 25 allows them with a warning, unless {@code
 * --illegal-native-access=deny} is set; later JDKs deny them by default (JEP 472). Safe for use from several threads.
 */
public final class NativeAccess {
    private NativeAccess() {}

    /**
     * Looks at it once for each JVM, which takes no native call and some microseconds. The first look makes the JDK write its
     * warning to standard error if no flag enables native access.
     *
     * @throws NativeAccessDeniedException if no native call is allowed
     */
    public static void require() {
        denial().ifPresent(cause -> {
            throw exception(cause);
        });
    }

    static NativeAccessDeniedException exception(IllegalCallerException denial) {
        return new NativeAccessDeniedException(denial, NativeAccess.class.getModule());
    }

    /** Returns what the JDK says if it denies native calls. */
    static Optional<IllegalCallerException> denial() {
        return Lazy.DENIAL;
    }

    private static final class Lazy {
        static final Optional<IllegalCallerException> DENIAL = look();

        /** Calls the cheapest method that the JDK restricts. */
        @SuppressWarnings("restricted")
        private static Optional<IllegalCallerException> look() {
            try {
                var _ = MemorySegment.NULL.reinterpret(0);
                return Optional.empty();
            } catch (IllegalCallerException denied) {
                return Optional.of(denied);
            }
        }
    }
}
