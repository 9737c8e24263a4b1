package dev.cloche.base;

/** Says whether operations can be events of JDK Flight Recorder. */
public final class FlightRecording {
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /**
     * Returns whether this JVM has the module {@code jdk.jfr}, whether or not a recording runs. A JRE that was made without it
     * cannot load an {@link OperationEvent}, so no code may make one there.
     */
    public static boolean isAvailable() {
        return AVAILABLE;
    }
}
