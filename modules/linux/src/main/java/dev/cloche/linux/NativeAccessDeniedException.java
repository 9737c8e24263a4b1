package dev.cloche.linux;

/** Reports that this JVM was started without native access for Cloche. Code {@code linux.native-access-denied}. */
public final class NativeAccessDeniedException extends LinuxException {
    /** SQLite's driver and zstd load native libraries, which is restricted too. */
    private static final String MODULES = "dev.cloche.linux,org.xerial.sqlitejdbc,com.github.luben.zstd_jni";

    NativeAccessDeniedException(IllegalCallerException cause, Module module) {
        super(
                "linux.native-access-denied",
                "This JVM denies Cloche the native calls that it needs (" + cause.getMessage() + "); start it with "
                        + flag(module) + ".",
                "Add the flag to the command line, to the argLine of Maven's Surefire, or, as 'Enable-Native-Access:"
                        + " ALL-UNNAMED', to the manifest of an executable jar.",
                cause);
    }

    private static String flag(Module module) {
        return "--enable-native-access=" + (module.isNamed() ? MODULES : "ALL-UNNAMED");
    }
}
