package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.bench.probe.Peer;
import dev.cloche.bench.probe.ProcessTimer;
import dev.cloche.bench.probe.PythonImage;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Trees;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures a pull from a registry on the same machine, each time into a store without images that has been opened once,
 * in a JVM that runs already and as a whole process, beside {@code msb pull} and {@code skopeo} with {@code umoci},
 * which unpacks onto the host.
 */
public final class PullSpeed {
    /** A JVM that has been running for a while has compiled its hot methods. */
    private static final int WARM_UP = 10;

    private final Setting setting;
    private final PythonImage image;

    public PullSpeed(Setting setting, PythonImage image) {
        this.setting = setting;
        this.image = image;
    }

    public void measure(int rounds, Report report) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            var _ = inThisJvm("one");
        }
        for (String layers : new String[] {"one", "four"}) {
            report.heading("Pull of Debian with Python from a local registry, " + layers + " layer"
                    + (layers.equals("one") ? "" : "s"));
            Alternation turns = new Alternation()
                    .add("Cloche in a running JVM", () -> inThisJvm(layers))
                    .add("`cloche pull`", () -> whole(layers));
            if (ProcessTimer.installed("umoci") && ProcessTimer.installed("skopeo")) {
                turns.add("`skopeo copy` and `umoci unpack`", () -> skopeo(layers));
            }
            if (ProcessTimer.installed("podman")) {
                turns.add("`podman pull`", () -> podman(layers));
            }
            Peer.msb().ifPresent(msb -> turns.add("`msb pull`", () -> msb(msb, layers)));
            report.table(turns.run(rounds));
        }
    }

    private long inThisJvm(String layers) throws IOException {
        Path home = fresh();
        try {
            Cloche.open(setting.options().withHome(home)).close();
            long begin = System.nanoTime();
            try (Cloche cloche = Cloche.open(setting.options().withHome(home))) {
                cloche.images().pull(image.reference(layers));
            }
            return System.nanoTime() - begin;
        } finally {
            Trees.delete(home);
        }
    }

    private long whole(String layers) throws IOException, InterruptedException {
        Path home = fresh();
        try {
            Map<String, String> environment = Map.of("CLOCHE_HOME", home.toString());
            String program = setting.root().resolve("cloche").toString();
            ProcessTimer.time(environment, program, "images");
            return ProcessTimer.time(environment, program, "pull", "-q", image.reference(layers));
        } finally {
            Trees.delete(home);
        }
    }

    private long msb(String program, String layers) throws IOException, InterruptedException {
        Path home = fresh();
        try {
            Map<String, String> environment = Map.of("HOME", home.toString());
            ProcessTimer.time(environment, program, "image", "ls");
            return ProcessTimer.time(environment, program, "pull", "-q", "--insecure", image.reference(layers));
        } finally {
            Trees.delete(home);
        }
    }

    private long skopeo(String layers) throws IOException, InterruptedException {
        Path home = fresh();
        try {
            String layout = home.resolve("layout") + ":image";
            return ProcessTimer.time(
                            Map.of(),
                            "skopeo",
                            "--insecure-policy",
                            "copy",
                            "--src-tls-verify=false",
                            "docker://" + image.reference(layers),
                            "oci:" + layout)
                    + ProcessTimer.time(
                            Map.of(),
                            "umoci",
                            "unpack",
                            "--rootless",
                            "--image",
                            layout,
                            home.resolve("bundle").toString());
        } finally {
            Trees.delete(home);
        }
    }

    private long podman(String layers) throws IOException, InterruptedException {
        // Not among the others: podman takes a runroot of 50 characters at most.
        Path home = Files.createTempDirectory("podman");
        try {
            List<String> command = List.of(
                    "podman",
                    "--root",
                    home.resolve("root").toString(),
                    "--runroot",
                    home.resolve("run").toString());
            ProcessTimer.time(Map.of(), with(command, "images"));
            return ProcessTimer.time(
                    Map.of(), with(command, "pull", "-q", "--tls-verify=false", image.reference(layers)));
        } finally {
            Trees.delete(home);
        }
    }

    private static String[] with(List<String> command, String... arguments) {
        return Stream.concat(command.stream(), Stream.of(arguments)).toArray(String[]::new);
    }

    private Path fresh() throws IOException {
        return Files.createTempDirectory(setting.directory(), "pull");
    }
}
