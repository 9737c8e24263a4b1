/** Exceptions, deadlines, clock, ids and durable files. */
module dev.cloche.base {
    requires transitive jdk.jfr;
    requires transitive org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.base;
}
