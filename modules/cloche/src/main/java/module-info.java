/** The library. */
module dev.cloche {
    requires transitive dev.cloche.base;
    requires dev.cloche.catalog;
    requires dev.cloche.execution;
    requires transitive dev.cloche.image;
    requires transitive dev.cloche.interpreter;
    requires dev.cloche.linux;
    requires transitive dev.cloche.machine;
    requires transitive dev.cloche.pool;
    requires transitive dev.cloche.process;
    requires dev.cloche.qemu;
    requires dev.cloche.runtime;
    requires transitive dev.cloche.sandbox;
    requires transitive dev.cloche.vm;
    requires org.jspecify;
    requires org.tomlj;

    exports dev.cloche;
}
