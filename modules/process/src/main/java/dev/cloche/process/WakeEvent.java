package dev.cloche.process;

/** An event with the wake that it caused. */
public record WakeEvent(ProcessEvent event, WakeDelivery wake) {}
