package dev.cloche.image;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Map;

/** One question to a registry. {@link RegistryCaller} asks it. */
interface RegistryAction<T> {
    /** What it does, for messages: "fetch the manifest x". */
    String describe();

    /** Below the registry's base. */
    URI target(URI base);

    Map<String, String> headers();

    /** Whether the status is an answer to {@link #read}. */
    boolean answers(int status);

    /** Turns the answer into a value; closing the body is its business. */
    T read(HttpResponse<ResponseBody> response) throws IOException;
}
