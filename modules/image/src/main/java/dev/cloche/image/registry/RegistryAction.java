package dev.cloche.image.registry;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** One question to a registry. {@link RegistryCaller} asks it. */
interface RegistryAction<T> {
    /** Returns what it does, for messages: "fetch the manifest x". */
    String describe();

    /** Below the registry's base. */
    URI target(URI base);

    Map<String, String> headers();

    /**
     * Returns the form to post; a question without one is a GET. It is sent to the target alone, wherever that redirects to.
     */
    default Optional<String> form() {
        return Optional.empty();
    }

    /** Returns whether the status is an answer to {@link #read}. */
    boolean answers(int status);

    /**
     * Turns the answer into a value; closing the body is its business.
     *
     * @throws InvalidResponse if it is wrong, and would be again
     * @throws IOException if it broke, and may be asked for again
     */
    T read(RegistryResponse response) throws IOException;
}
