/** VMs in memory and the contract suites of providers, for tests. */
module dev.cloche.vm.testing {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires transitive dev.cloche.vm;
    requires dev.cloche.vmm;
    requires static awaitility;
    requires static transitive org.assertj.core;
    requires org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports dev.cloche.vm.testing;
}
