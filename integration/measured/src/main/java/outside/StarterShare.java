package outside;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the starter adds to the start of an application's context: a web application with Actuator, each time in a JVM of its own,
 * without our jars on its class path and with them, in turn. Arguments: rounds, and "steady" for JVMs that compile once and collect
 * garbage on one thread, whose times differ less, and only the variant that needs no Cloche, with our jars behind those of Spring,
 * compared with the one without of its round.
 */
public final class StarterShare {
    static final List<String> QUIET = List.of(
            "--server.port=0", "--logging.level.root=error", "--spring.main.banner-mode=off");

    /** Directories of a Maven repository: our jars, and what these need and the application has for no other reason. */
    private static final List<String> BROUGHT =
            List.of("/dev/cloche/", "/org/xerial/", "/org/tomlj/", "/com/github/luben/", "/tools/jackson/");

    /** As the plug-ins of Spring Boot start applications while they are developed, and the simplest collector. */
    static final List<String> STEADY = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private StarterShare() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        String all = System.getProperty("java.class.path");
        String without = jars(false);
        String brought = jars(true);
        String plain = "outside.context.WebApplication";
        List<Variant> variants = List.of(
                new Variant("without the starter", without, plain, List.of()),
                new Variant("with it", all, plain, List.of()),
                new Variant("with it, and a bean needs Cloche", all, "outside.context.ApplicationThatNeedsCloche", List.of()),
                new Variant(
                        "with it, and there is a pool",
                        all,
                        plain,
                        List.of("--cloche.pools[0].image=base", "--cloche.pools[0].memory=192MB")));
        if (arguments.length > 1) {
            steady(rounds, List.of(
                    variants.get(0),
                    new Variant("with it, behind Spring", without + File.pathSeparator + brought, plain, List.of())));
            return;
        }
        for (int round = -2; round < rounds; round++) {
            for (Variant variant : variants) {
                Took took = variant.start();
                if (round >= 0) {
                    variant.samples.add(took.clock);
                    variant.computing.add(took.thread);
                }
            }
        }
        Samples.print("ms", variants.stream().map(Variant::samples).toArray(Samples[]::new));
        System.out.println("Of it in the application's own thread, with a processor:\n");
        Samples.print("ms", variants.stream().map(Variant::computing).toArray(Samples[]::new));
    }

    /** Returns the part of this class path that comes with the starter, or the other one. */
    static String jars(boolean brought) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> BROUGHT.stream().anyMatch(entry::contains) == brought)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns what a program writes that ends with 0. */
    static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        if (process.waitFor() != 0) {
            throw new IllegalStateException("exit code " + process.exitValue() + ": " + output);
        }
        return output;
    }

    private static void steady(int rounds, List<Variant> variants) throws Exception {
        List<Samples> clock = new ArrayList<>();
        List<Samples> thread = new ArrayList<>();
        for (Variant variant : variants) {
            variant.command.addAll(1, STEADY);
            clock.add(new Samples(variant.samples.name() + ": difference, by the clock"));
            thread.add(new Samples(variant.samples.name() + ": difference, in the application's own thread"));
        }
        for (int round = -2; round < rounds; round++) {
            Took[] took = new Took[variants.size()];
            for (int turn = 0; turn < took.length; turn++) {
                // Begins with another one each time and turns round each time, so that none always follows the same one.
                int step = round % 2 == 0 ? turn : -turn;
                int which = Math.floorMod(round + step, took.length);
                took[which] = variants.get(which).start();
            }
            for (int i = 0; round >= 0 && i < took.length; i++) {
                variants.get(i).samples.add(took[i].clock);
                variants.get(i).computing.add(took[i].thread);
                clock.get(i).add(took[i].clock - took[0].clock);
                thread.get(i).add(took[i].thread - took[0].thread);
            }
        }
        Samples.print("ms", variants.stream().map(Variant::samples).toArray(Samples[]::new));
        System.out.println("Of it in the application's own thread, with a processor:\n");
        Samples.print("ms", variants.stream().map(Variant::computing).toArray(Samples[]::new));
        for (int i = 1; i < variants.size(); i++) {
            clock.get(i).printMedian();
            thread.get(i).printMedian();
        }
    }

    /** In milliseconds. */
    private record Took(double clock, double thread) {}

    private record Variant(Samples samples, Samples computing, List<String> command) {
        Variant(String name, String classPath, String main, List<String> more) {
            this(new Samples(name), new Samples(name), new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    // Where an application's Tomcat leaves its directories.
                    "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                    "-cp",
                    classPath,
                    main)));
            command.addAll(QUIET);
            command.addAll(more);
        }

        Took start() throws IOException, InterruptedException {
            String[] microseconds = output(command).split(" ");
            return new Took(Long.parseLong(microseconds[0]) / 1000.0, Long.parseLong(microseconds[1]) / 1000.0);
        }
    }
}
