package dev.cloche.runtime.linux.x86_64;

import dev.cloche.runtime.RuntimeFiles;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Opens the resources of this module, which has nothing else. */
public final class ModuleFiles implements RuntimeFiles {
    @Override
    public @Nullable InputStream open(String name) {
        return ModuleFiles.class.getResourceAsStream("/" + name);
    }
}
