/** Cloche in applications of Spring Boot. */
module dev.cloche.spring {
    requires transitive dev.cloche;
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.image;
    requires transitive dev.cloche.micrometer;
    requires dev.cloche.sandbox;
    requires transitive dev.cloche.vm;
    // Whose annotations the types of health and info have.
    requires static com.fasterxml.jackson.annotation;
    requires static micrometer.core;
    requires static micrometer.observation;
    requires static spring.aop;
    requires static spring.beans;
    requires static spring.boot;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static spring.boot.autoconfigure;
    requires static spring.boot.health;
    requires static spring.context;
    requires static spring.core;
    requires org.jspecify;

    exports dev.cloche.spring;
}
