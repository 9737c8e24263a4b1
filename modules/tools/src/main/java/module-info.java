/** Tools of agents that run in sandboxes, without the types of any framework. */
module dev.cloche.tools {
    requires transitive dev.cloche;
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.interpreter;
    requires dev.cloche.vm;
    requires org.jspecify;

    exports dev.cloche.tools;
}
