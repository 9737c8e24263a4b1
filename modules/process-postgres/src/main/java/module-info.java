/** The PostgreSQL store of the process registry. */
module dev.cloche.process.postgres {
    requires transitive dev.cloche.base;
    requires dev.cloche.migration;
    requires transitive dev.cloche.process;
    requires com.zaxxer.hikari;
    requires java.sql;
    requires org.jspecify;
    requires org.postgresql.jdbc;

    exports dev.cloche.process.postgres;
}
