/** SQLite: opening, transactions, migrations. */
module dev.cloche.catalog {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires dev.cloche.migration;
    requires transitive java.sql;
    requires jdk.jfr;
    requires org.jspecify;
    requires org.xerial.sqlitejdbc;

    exports dev.cloche.catalog;
}
