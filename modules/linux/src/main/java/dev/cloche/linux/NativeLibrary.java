package dev.cloche.linux;

import java.io.IOException;

/** Uses classes of other projects that load a native library when they are first used. Stateless. */
public final class NativeLibrary {
    /** Makes an object of such a class. */
    @FunctionalInterface
    public interface Making<T> {
        T make() throws IOException;
    }

    private NativeLibrary() {}

    /**
     * Makes an object, and turns the errors of the JVM for a library that does not load into an exception of ours: callers
     * expect no {@link LinkageError}.
     *
     * @param library its name, for people
     * @throws NativeLibraryException if the library does not load
     * @throws IOException if the making fails
     */
    public static <T> T use(String library, Making<T> making) throws IOException {
        try {
            return making.make();
        } catch (LinkageError | IllegalCallerException e) {
            throw new NativeLibraryException(library, e);
        }
    }
}
