/** The contract of VMs: provider, VM, guest, values and errors. */
@SuppressWarnings("module") // Those it exports to are compiled after it.
module dev.cloche.vm {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.linux;
    requires transitive org.jspecify;

    exports dev.cloche.vm;
    exports dev.cloche.vm.ready to
            dev.cloche,
            dev.cloche.sandbox;
}
