/** Durable executions: drives commands in sandboxes under leases. */
module dev.cloche.execution {
    requires transitive dev.cloche.base;
    requires dev.cloche.linux;
    requires transitive dev.cloche.process;
    requires transitive dev.cloche.sandbox;
    requires dev.cloche.vm;
    requires org.jspecify;

    exports dev.cloche.execution;
}
