/** The durable process registry: its rules, and its store in SQLite. */
@SuppressWarnings("module") // Those it exports to are compiled after it.
module dev.cloche.process {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.catalog;
    requires dev.cloche.linux;
    requires java.sql;
    requires org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.process;
    exports dev.cloche.process.schema to
            dev.cloche.schema;
    exports dev.cloche.process.store to
            dev.cloche.process.postgres,
            dev.cloche.process.testing;

    uses dev.cloche.process.schema.PayloadSchemas;
}
