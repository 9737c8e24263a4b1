package outside.context;

import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** A web application of Spring Boot, with or without the starter; says how many microseconds its
 * context took to start, and for how many of them its thread had a processor since the JVM began. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class WebApplication {
    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        var context = SpringApplication.run(WebApplication.class, arguments);
        say(begin);
        context.close();
    }

    static void say(long begin) {
        long took = System.nanoTime() - begin;
        long computing = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        System.out.println(took / 1000 + " " + computing / 1000);
    }
}
