package dev.cloche.runtime;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Provides the resources of a runtime artefact as a service: on the module path the JVM loads only modules that another one asks
 * for, and nothing but a service asks for this one.
 */
public interface RuntimeFiles {
    /** Opens the resource of this name, such as {@code META-INF/cloche/runtime/index}; null if the artefact has none. */
    @Nullable
    InputStream open(String name);
}
