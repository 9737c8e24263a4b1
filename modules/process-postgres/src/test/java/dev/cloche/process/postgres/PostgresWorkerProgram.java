package dev.cloche.process.postgres;

import dev.cloche.process.WorkerProgram;

/** The worker of {@link PostgresWorkerTest}; arguments: URL, user, schema and owner. */
final class PostgresWorkerProgram {
    private PostgresWorkerProgram() {}

    public static void main(String[] arguments) throws Exception {
        PostgresConfig config =
                PostgresConfig.of(arguments[0], arguments[1], "").withSchema(arguments[2]);
        WorkerProgram.work(PostgresProcessStore.open(config), arguments[3]);
    }
}
