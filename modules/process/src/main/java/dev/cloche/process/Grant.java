package dev.cloche.process;

/** Says that a scope can address a process. It says nothing about the process's life. */
public record Grant(SessionScope scope, String processId, HandleDescriptor descriptor) {}
