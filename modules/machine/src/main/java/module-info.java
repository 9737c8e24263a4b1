/** Named machines and their TOML files. */
module dev.cloche.machine {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.image;
    requires dev.cloche.linux;
    requires transitive dev.cloche.vm;
    requires com.github.luben.zstd_jni;
    requires transitive org.jspecify;
    requires org.tomlj;
    requires tools.jackson.core;

    exports dev.cloche.machine;
}
