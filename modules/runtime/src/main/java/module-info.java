/** Finds and unpacks the files that VMs are made with. */
module dev.cloche.runtime {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires transitive org.jspecify;

    exports dev.cloche.runtime;

    uses dev.cloche.runtime.RuntimeFiles;
}
