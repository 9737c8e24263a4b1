/** Numbered SQL scripts and their history in a database. */
module dev.cloche.migration {
    requires transitive java.sql;
    requires org.jspecify;

    exports dev.cloche.migration;
}
