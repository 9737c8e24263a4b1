/** The store of the process registry in memory, for tests. */
module dev.cloche.process.testing {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.process;
    requires org.jspecify;

    exports dev.cloche.process.testing;
}
