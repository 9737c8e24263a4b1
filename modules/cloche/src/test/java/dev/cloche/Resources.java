package dev.cloche;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Directories on the class path, in the reactor's class directories and in jars. */
final class Resources {
    private Resources() {}

    static List<String> namesIn(URL directory) throws IOException, URISyntaxException {
        if (directory.openConnection() instanceof JarURLConnection inJar) {
            String prefix = inJar.getEntryName();
            try (JarFile jar = inJar.getJarFile()) {
                return jar.stream()
                        .map(entry -> entry.getName())
                        .filter(name -> name.startsWith(prefix))
                        .map(name -> name.substring(name.lastIndexOf('/') + 1))
                        .toList();
            }
        }
        try (Stream<Path> files = Files.list(Path.of(directory.toURI()))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
