/** Meters and observations for Micrometer. */
module dev.cloche.micrometer {
    requires transitive dev.cloche;
    requires transitive dev.cloche.base;
    requires dev.cloche.image;
    requires transitive dev.cloche.pool;
    requires dev.cloche.sandbox;
    requires dev.cloche.vm;
    requires static micrometer.core;
    requires static micrometer.observation;
    requires org.jspecify;

    exports dev.cloche.micrometer;
}
