/** Sandboxes behind the interface of agent-sandbox-core. */
@SuppressWarnings("requires-transitive-automatic") // It has no descriptor.
module dev.cloche.agentsandbox {
    requires transitive agent.sandbox.core;
    requires transitive dev.cloche;
    requires dev.cloche.base;
    requires dev.cloche.vm;
    requires org.jspecify;

    exports dev.cloche.agentsandbox;
}
