package outside;

import dev.cloche.Cloche;
import dev.cloche.image.PullListener;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How long a suite of Spring Boot takes whose classes have PostgreSQL and Redis each in sandboxes of their own, and with the
 * servers of this host, in turn, each time in a JVM of its own. Arguments: rounds, the suite's class path, the directory with
 * the images, the ports of the host's PostgreSQL and Redis.
 */
public final class SuiteTimes {
    private SuiteTimes() {}

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        try (Cloche cloche = Cloche.open()) {
            for (String name : List.of("postgres", "redis")) {
                cloche.images().load(Path.of(arguments[2], name + ".tar"), "suite-" + name, PullListener.none());
            }
        }
        List<Variant> variants = List.of(
                new Variant("the host's servers", "-Dsuite.postgres=" + arguments[3], "-Dsuite.redis=" + arguments[4]),
                new Variant("sandboxes"));
        for (int round = -1; round < rounds; round++) {
            for (Variant variant : variants) {
                variant.run(arguments[1], round >= 0);
            }
        }
        Samples.print("ms", variants.stream().map(Variant::all).toArray(Samples[]::new));
        Samples.print("ms", variants.stream().map(Variant::first).toArray(Samples[]::new));
        Samples.print("ms", variants.stream().map(Variant::later).toArray(Samples[]::new));
    }

    private record Variant(Samples all, Samples first, Samples later, List<String> options) {
        Variant(String name, String... options) {
            this(
                    new Samples(name + ", all 14 classes"),
                    new Samples(name + ", the first class"),
                    new Samples(name + ", each of the classes 2 to 14"),
                    List.of(options));
        }

        void run(String classPath, boolean counts) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    classPath));
            command.addAll(options);
            command.add("outside.suite.Suite");
            Process process = new ProcessBuilder(command)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes()).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("exit code " + process.exitValue() + ": " + output);
            }
            // Before it stand warnings of the JDK, about Netty and Mockito.
            String last = output.substring(output.lastIndexOf('\n') + 1);
            double[] times = Arrays.stream(last.split(" "))
                    .mapToDouble(microseconds -> Long.parseLong(microseconds) / 1000.0)
                    .toArray();
            if (times.length != 15) {
                throw new IllegalStateException("there were " + (times.length - 1) + " classes");
            }
            if (counts) {
                all.add(times[0]);
                first.add(times[1]);
                Arrays.stream(times).skip(2).forEach(later::add);
            }
        }
    }
}
