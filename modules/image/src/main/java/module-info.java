/** OCI images to disks: registry, layers, index, pins. */
module dev.cloche.image {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.catalog;
    requires dev.cloche.erofs;
    requires dev.cloche.linux;
    requires com.github.luben.zstd_jni;
    requires java.net.http;
    requires java.sql;
    requires jdk.jfr;
    requires transitive org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.image;
}
