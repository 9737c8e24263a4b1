package dev.cloche.linux;

import java.util.Locale;

/** Chooses the C library of this JVM at the first real call, not before. */
final class LibcHolder {
    private LibcHolder() {}

    static Libc libc() {
        return Lazy.LIBC;
    }

    static Libc choose(String system, String architecture) {
        boolean known = architecture.equals("amd64") || architecture.equals("aarch64");
        if (!known || !system.toLowerCase(Locale.ROOT).equals("linux")) {
            return new UnsupportedLibc(() -> new UnsupportedSystemException(system + " on " + architecture));
        }
        return NativeAccess.denial()
                .<Libc>map(denied -> new UnsupportedLibc(() -> NativeAccess.exception(denied)))
                .orElseGet(NativeLibc::new);
    }

    private static final class Lazy {
        static final Libc LIBC = choose(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }
}
