/** The warm pool of restored VMs. */
module dev.cloche.pool {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.vm;
    requires transitive org.jspecify;

    exports dev.cloche.pool;
}
