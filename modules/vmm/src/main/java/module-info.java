/** What every provider of VMs shares: lifecycle, guest channel, persistent disks. */
@SuppressWarnings("module") // Those it exports to are compiled after it.
module dev.cloche.vmm {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires transitive dev.cloche.vm;
    requires jdk.jfr;
    requires org.jspecify;
    requires transitive tools.jackson.core;

    exports dev.cloche.vmm;
    exports dev.cloche.vmm.admission to
            dev.cloche.qemu;
    exports dev.cloche.vmm.channel to
            dev.cloche.vm.testing;
    exports dev.cloche.vmm.disk to
            dev.cloche.qemu,
            dev.cloche.vm.testing;
    exports dev.cloche.vmm.protocol to
            dev.cloche.qemu,
            dev.cloche.vm.testing;
}
