/** Sandboxes and their runs. */
module dev.cloche.sandbox {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.catalog;
    requires transitive dev.cloche.image;
    requires transitive dev.cloche.linux;
    requires transitive dev.cloche.pool;
    requires transitive dev.cloche.vm;
    requires java.sql;
    requires jdk.jfr;
    requires org.jspecify;

    exports dev.cloche.sandbox;
}
