/** Writes and reads EROFS file systems. */
module dev.cloche.erofs {
    requires transitive dev.cloche.base;
    requires transitive org.jspecify;

    exports dev.cloche.erofs;
}
