package dev.cloche.dist;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The last step of the build: makes from the built jars the program that {@code ./cloche} starts.
 *
 * <p>Everything that belongs together (jars, native libraries, JVM options, ahead-of-time cache) is one immutable
 * directory {@code dist/app/DIGEST}, named by what it was made from and made elsewhere before it gets this name. The
 * file {@code dist/current} says which one is started; replacing it is what publishes. So a start sees either the old
 * program or the new one, and a cache never meets other jars than its own: JDK 25 would run the old code without a word.
 */
final class Publish {
    private Publish() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            System.err.println("usage: Publish CLI-JAR CLASS-PATH BUILD-DIR DIST-DIR");
            System.exit(2);
        }
        Path buildDir = Path.of(args[2]).toAbsolutePath();
        Path dist = Path.of(args[3]).toAbsolutePath().normalize();
        publish(jars(Path.of(args[0]), args[1]), buildDir, dist);
    }

    private static void publish(List<Path> jars, Path buildDir, Path dist) throws IOException, InterruptedException {
        Path java = Path.of(System.getProperty("java.home")).toRealPath();
        Generation generation = Generation.of(java, jars, buildDir, dist.resolve("share"));
        Path apps = Files.createDirectories(dist.resolve("app"));
        try (RandomAccessFile lock = new RandomAccessFile(apps.resolve(".lock").toFile(), "rw");
                FileLock held = lock.getChannel().lock()) {
            Directories.delete(apps.resolve(".new")); // of a build that was interrupted
            Path home = apps.resolve(generation.digest());
            if (!Files.isDirectory(home)) {
                generation.make(Files.createDirectory(apps.resolve(".new")));
                Directories.makeReadable(apps.resolve(".new"));
                Files.move(apps.resolve(".new"), home);
            }
            Current current = new Current(generation.digest(), java, generation.classPath());
            Current before = Current.read(dist);
            current.write(dist);
            Directories.deleteUnused(apps, current, before);
        }
    }

    /** The program's own jar first, then what it needs, in an order that is the same everywhere. */
    static List<Path> jars(Path cli, String classPath) {
        List<Path> jars = new ArrayList<>();
        jars.add(cli);
        Arrays.stream(classPath.split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> entry.toString().endsWith(".jar")) // the other one is where the cli jar was made from
                .filter(entry -> !entry.equals(cli))
                .sorted(Comparator.comparing(Path::getFileName))
                .forEach(jars::add);
        return jars;
    }
}
