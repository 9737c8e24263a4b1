/** VMs of QEMU, each under a guard. */
module dev.cloche.qemu {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires transitive dev.cloche.vm;
    requires dev.cloche.vmm;
    requires org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.qemu;
}
