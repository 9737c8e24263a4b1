/** The contract of VMs: provider, VM, guest, values and errors. */
module dev.cloche.vm {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.linux;
    requires transitive org.jspecify;

    exports dev.cloche.vm;
}
