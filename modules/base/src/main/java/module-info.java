/** Exceptions, deadlines, clock, ids and durable files. */
module dev.cloche.base {
    requires transitive org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.base;
}
