/** Sandboxes in tests of JUnit. */
module dev.cloche.junit {
    requires transitive dev.cloche;
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.vm;
    requires org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports dev.cloche.junit;
}
