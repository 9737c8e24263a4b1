/** Native calls by FFM: locks, pidfds, signals. */
module dev.cloche.linux {
    requires transitive dev.cloche.base;
    requires org.jspecify;

    exports dev.cloche.linux;
}
