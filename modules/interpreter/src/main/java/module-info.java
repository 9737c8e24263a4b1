/** Code interpreters in sandboxes: contexts that keep their variables, and their drivers. */
module dev.cloche.interpreter {
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.sandbox;
    requires transitive dev.cloche.vm;
    requires org.jspecify;
    requires tools.jackson.core;

    exports dev.cloche.interpreter;
}
