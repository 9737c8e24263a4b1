package dev.cloche.dist;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes the program and the JVM of an archive of the command line, below a directory: {@code lib/app} as a
 * generation has it (see {@link Generation}), and {@code lib/jre}, of the modules that the jars need.
 *
 * <p>The JVM drops a cache whose jars have another time of modification than in the training, so all files get the one
 * that they have in the archive before that.
 */
final class Archive {
    /**
     * Databind names it for annotations of JavaBeans, which it looks up by reflection and does without: it would double
     * the size of the archive.
     */
    private static final String DESKTOP = "java.desktop";

    private Archive() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 6) {
            System.err.println("usage: Archive CLI-JAR CLASS-PATH BUILD-DIR SHARE TIME TARGET");
            System.exit(2);
        }
        Path target = Path.of(args[5]).toAbsolutePath().normalize();
        List<Path> jars = Publish.jars(Path.of(args[0]), args[1]);
        make(jars, Path.of(args[2]), Path.of(args[3]), Instant.parse(args[4]), target);
    }

    private static void make(List<Path> jars, Path buildDir, Path share, Instant time, Path target)
            throws IOException, InterruptedException {
        Directories.delete(target); // of an earlier build
        Path app = Files.createDirectories(target.resolve("lib/app"));
        Generation.copy(jars, buildDir, app);
        List<String> names = Generation.names(jars);
        Files.writeString(app.resolve("jars"), String.join(" ", names) + "\n");
        Directories.makeReadable(app);

        Path jre = target.resolve("lib/jre");
        run(
                "jlink",
                "--add-modules",
                modules(app, names),
                "--output",
                jre.toString(),
                "--no-header-files",
                "--no-man-pages");
        setTimes(target, time);
        Generation.train(jre, names, share, app);
    }

    /** Returns the modules of the JDK that the jars refer to, with commas between. */
    private static String modules(Path app, List<String> names) {
        List<String> arguments = new ArrayList<>(List.of("--ignore-missing-deps", "--print-module-deps", "-q"));
        Path lib = app.resolve("lib");
        // Jars with a descriptor require others of them.
        arguments.addAll(List.of("--multi-release", "25", "--module-path", lib.toString()));
        names.forEach(name -> arguments.add(lib.resolve(name).toString()));
        TreeSet<String> modules = new TreeSet<>(Arrays.asList(
                run("jdeps", arguments.toArray(String[]::new)).strip().split(",")));
        modules.remove(DESKTOP);
        return String.join(",", modules);
    }

    private static void setTimes(Path target, Instant time) throws IOException {
        try (Stream<Path> files = Files.walk(target)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(time));
            }
        }
    }

    private static String run(String tool, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int code = ToolProvider.findFirst(tool)
                .orElseThrow(() -> new IllegalStateException("this JDK has no " + tool))
                .run(new PrintWriter(out, true), new PrintWriter(errors, true), arguments);
        if (code != 0) {
            throw new IllegalStateException(tool + " " + String.join(" ", arguments) + "\n" + out + errors);
        }
        return out.toString();
    }
}
