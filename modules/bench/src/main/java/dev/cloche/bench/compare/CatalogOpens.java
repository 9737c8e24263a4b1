package dev.cloche.bench.compare;

import dev.cloche.bench.probe.SeededRoot;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.process.SqliteProcessStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Measures how long it takes to open a catalog of all rooms that is up to date, alone and a hundred times at once in
 * this JVM, beside a bare connection to the same file that reads one row of it. Nothing may be written to the log on
 * the way.
 */
public final class CatalogOpens {
    private static final int AT_ONCE = 100;
    private static final List<CatalogSchema> SCHEMAS = Stream.concat(
                    SeededRoot.SCHEMAS.stream(), Stream.of(SqliteProcessStore.schema()))
            .toList();

    private final Setting setting;

    public CatalogOpens(Setting setting) {
        this.setting = setting;
    }

    @FunctionalInterface
    private interface Open {
        AutoCloseable run() throws Exception;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path root = Files.createTempDirectory(setting.directory(), "opens");
        Path file = root.resolve("catalog.db");
        Open ours = () -> Catalog.open(root, SCHEMAS);
        Open bare = () -> bare(file);
        // Another connection keeps it open meanwhile, so that none of these is the last, which would empty the log.
        try (Catalog first = Catalog.open(root, SCHEMAS)) {
            first.write(transaction -> transaction.update("CREATE TABLE bench (one INTEGER) STRICT"));
            report.heading("Opening a catalog that is up to date");
            report.table(new Alternation()
                    .warmUp(50)
                    .add("`Catalog.open`", () -> alone(ours))
                    .add("a bare connection that reads a row", () -> alone(bare))
                    .run(rounds * 20));
            long log = logBytes(root);
            report.heading(AT_ONCE + " opens at once in one JVM, each from its start to its end");
            var _ = atOnce(ours, 3);
            var _ = atOnce(bare, 3);
            report.table(List.of(
                    new Samples("`Catalog.open`", atOnce(ours, rounds)),
                    new Samples("a bare connection that reads a row", atOnce(bare, rounds))));
            if (logBytes(root) != log) {
                throw new IllegalStateException("an open wrote to the log");
            }
        }
    }

    private static long alone(Open open) throws Exception {
        long begin = System.nanoTime();
        AutoCloseable opened = open.run();
        long end = System.nanoTime();
        opened.close();
        return end - begin;
    }

    /** Milliseconds of each. */
    private static double[] atOnce(Open open, int rounds) throws Exception {
        double[] millis = new double[AT_ONCE * rounds];
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int round = 0; round < rounds; round++) {
                CountDownLatch ready = new CountDownLatch(AT_ONCE);
                List<Future<Long>> opening = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    opening.add(threads.submit(() -> {
                        ready.countDown();
                        ready.await();
                        return alone(open);
                    }));
                }
                for (int i = 0; i < AT_ONCE; i++) {
                    millis[round * AT_ONCE + i] = opening.get(i).get() / 1e6;
                }
            }
        }
        return millis;
    }

    private static AutoCloseable bare(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT room FROM catalog_room")) {
            if (!row.next()) {
                throw new IllegalStateException("there is no room in the catalog");
            }
        }
        return connection;
    }

    private static long logBytes(Path root) throws IOException {
        return Files.size(root.resolve("catalog.db-wal"));
    }
}
