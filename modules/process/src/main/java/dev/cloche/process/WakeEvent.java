package dev.cloche.process;

/** Describes an event with the wake that it caused. */
public record WakeEvent(ProcessEvent event, WakeDelivery wake) {}
