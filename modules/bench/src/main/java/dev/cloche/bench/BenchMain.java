package dev.cloche.bench;

import dev.cloche.bench.compare.Admissions;
import dev.cloche.bench.compare.Bursts;
import dev.cloche.bench.compare.CatalogOpens;
import dev.cloche.bench.compare.ChannelBulk;
import dev.cloche.bench.compare.ChannelTrips;
import dev.cloche.bench.compare.ColdRun;
import dev.cloche.bench.compare.CommandStart;
import dev.cloche.bench.compare.Dials;
import dev.cloche.bench.compare.DiskSync;
import dev.cloche.bench.compare.Emulators;
import dev.cloche.bench.compare.Forks;
import dev.cloche.bench.compare.HotLog;
import dev.cloche.bench.compare.IdleCalls;
import dev.cloche.bench.compare.ImageGrowth;
import dev.cloche.bench.compare.Interpreters;
import dev.cloche.bench.compare.Kernels;
import dev.cloche.bench.compare.LayerSpeed;
import dev.cloche.bench.compare.MachineConfig;
import dev.cloche.bench.compare.Maintenance;
import dev.cloche.bench.compare.Memory;
import dev.cloche.bench.compare.NamedMachines;
import dev.cloche.bench.compare.Neighbour;
import dev.cloche.bench.compare.Ports;
import dev.cloche.bench.compare.PullSpeed;
import dev.cloche.bench.compare.RegistryAppends;
import dev.cloche.bench.compare.RegistryClaims;
import dev.cloche.bench.compare.RegistryPostgres;
import dev.cloche.bench.compare.RegistryWakes;
import dev.cloche.bench.compare.Restore;
import dev.cloche.bench.compare.RunStarts;
import dev.cloche.bench.compare.RuntimeUnpacks;
import dev.cloche.bench.compare.SandboxStarts;
import dev.cloche.bench.compare.StartShare;
import dev.cloche.bench.compare.WalledStarts;
import dev.cloche.bench.compare.Walls;
import dev.cloche.bench.compare.WarmStart;
import dev.cloche.bench.probe.PythonImage;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Trees;
import dev.cloche.bench.report.Drawings;
import dev.cloche.bench.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Runs the benchmarks that are named, or all: {@code ./bench [--draw DIRECTORY] [ROUNDS] [NAME]...} */
public final class BenchMain {
    private static final int ROUNDS = 15;

    private BenchMain() {}

    /** Runs one benchmark. */
    @FunctionalInterface
    private interface Benchmark {
        void measure(Setting setting, int rounds, Report report) throws Exception;
    }

    private static SequencedMap<String, Benchmark> all() {
        SequencedMap<String, Benchmark> all = new LinkedHashMap<>();
        all.put("cold-run", (setting, rounds, report) -> new ColdRun(setting).measure(rounds, report));
        all.put("kernels", (setting, rounds, report) -> new Kernels(setting).measure(rounds, report));
        all.put("emulators", (setting, rounds, report) -> new Emulators(setting).measure(rounds, report));
        all.put("start", (setting, rounds, report) -> new StartShare(setting).measure(rounds, report));
        all.put("sandboxes", (setting, rounds, report) -> new SandboxStarts(setting).measure(rounds, report));
        all.put("restore", (setting, rounds, report) -> new Restore(setting).measure(rounds, report));
        all.put("fork", (setting, rounds, report) -> new Forks(setting).measure(rounds, report));
        all.put("pool", (setting, rounds, report) -> new WarmStart(setting).measure(rounds, report));
        all.put("burst", (setting, rounds, report) -> new Bursts(setting).measure(rounds, report));
        all.put("run", (setting, rounds, report) -> new RunStarts(setting).measureCommands(rounds, report));
        all.put("library", (setting, rounds, report) -> new RunStarts(setting).measureCalls(rounds, report));
        all.put("warm", (setting, rounds, report) -> new RunStarts(setting).measureWarmCalls(rounds, report));
        all.put("runtime", (setting, rounds, report) -> new RuntimeUnpacks(setting).measure(rounds, report));
        all.put("walled-starts", (setting, rounds, report) -> new WalledStarts(setting).measure(rounds * 4, report));
        all.put("walls", (setting, rounds, report) -> new Walls(setting).measure(rounds, report));
        all.put("neighbour", (setting, rounds, report) -> new Neighbour(setting).measure(rounds, report));
        all.put("admission", (setting, rounds, report) -> new Admissions(setting).measure(rounds * 20, report));
        all.put("memory", (setting, rounds, report) -> new Memory(setting).measure(rounds, report));
        all.put("trips", (setting, rounds, report) -> new ChannelTrips(setting).measure(rounds, report));
        all.put("fsync", (setting, rounds, report) -> new DiskSync(setting).measure(rounds, report));
        all.put("bulk", (setting, rounds, report) -> new ChannelBulk(setting).measure(rounds, report));
        all.put("dial", (setting, rounds, report) -> new Dials(setting).measure(rounds, report));
        all.put("ports", (setting, rounds, report) -> new Ports(setting).measure(rounds, report));
        all.put("idle", (setting, rounds, report) -> new IdleCalls(setting).measure(rounds, report));
        all.put(
                "interpreter",
                (setting, rounds, report) ->
                        withPython(setting, image -> new Interpreters(setting, image).measure(rounds, report)));
        all.put(
                "pull",
                (setting, rounds, report) ->
                        withPython(setting, image -> new PullSpeed(setting, image).measure(rounds, report)));
        all.put(
                "layer",
                (setting, rounds, report) ->
                        withPython(setting, image -> new LayerSpeed(setting, image).measure(rounds, report)));
        all.put("images", (setting, rounds, report) -> new ImageGrowth(setting).measure(rounds, report));
        all.put("catalog", (setting, rounds, report) -> new CatalogOpens(setting).measure(rounds, report));
        all.put("maintenance", (setting, rounds, report) -> new Maintenance(setting).measure(rounds, report));
        all.put("machine-config", (setting, rounds, report) -> new MachineConfig(setting).measure(rounds, report));
        all.put("machines", (setting, rounds, report) -> new NamedMachines(setting).measure(rounds, report));
        all.put("commands", (setting, rounds, report) -> new CommandStart(setting).measure(rounds * 2, report));
        all.put("registry", (setting, rounds, report) -> {
            new RegistryAppends(setting).measure(Math.min(rounds, 5), report);
            new RegistryWakes(setting).measure(rounds, report);
            new RegistryClaims(setting).measure(rounds * 2, report);
        });
        all.put("registry-postgres", (_, rounds, report) -> new RegistryPostgres().measure(rounds, report));
        all.put("hot-log", (_, rounds, report) -> new HotLog().measure(Math.min(rounds, 10), report));
        return all;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(List.of(arguments));
        Optional<Path> drawings = Optional.empty();
        if (names.size() > 1 && names.getFirst().equals("--draw")) {
            names.removeFirst();
            drawings = Optional.of(Path.of(names.removeFirst()));
        }
        int rounds =
                !names.isEmpty() && names.getFirst().matches("\\d+") ? Integer.parseInt(names.removeFirst()) : ROUNDS;
        SequencedMap<String, Benchmark> all = all();
        if (!all.keySet().containsAll(names)) {
            throw new IllegalArgumentException("there are " + String.join(", ", all.keySet()));
        }
        Path root =
                Path.of(System.getProperty("cloche.root", ".")).toAbsolutePath().normalize();
        Path directory = Files.createTempDirectory("cloche-bench");
        try {
            Setting setting = Setting.prepare(root, directory);
            Optional<Drawings> drawn = drawings.isPresent()
                    ? Optional.of(new Drawings(drawings.get(), setting.accelerator()))
                    : Optional.empty();
            Report report = new Report(System.out, drawn);
            System.out.println("Date " + LocalDate.now(java.time.ZoneOffset.UTC) + "; " + setting.machine());
            for (Map.Entry<String, Benchmark> benchmark : all.entrySet()) {
                if (names.isEmpty() || names.contains(benchmark.getKey())) {
                    benchmark.getValue().measure(setting, rounds, report);
                }
            }
        } finally {
            Trees.delete(directory);
        }
    }

    private interface OfPython {
        void measure(PythonImage image) throws Exception;
    }

    private static void withPython(Setting setting, OfPython benchmark) throws Exception {
        try (PythonImage image =
                PythonImage.prepare(setting.root(), Files.createTempDirectory(setting.directory(), "image"))) {
            benchmark.measure(image);
        }
    }
}
