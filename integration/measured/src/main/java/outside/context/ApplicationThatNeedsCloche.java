package outside.context;

import dev.cloche.Cloche;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The same application with a bean that needs Cloche. */
public class ApplicationThatNeedsCloche {
    /** Stands for a controller that runs code. */
    record Service(Cloche cloche) {}

    @Configuration
    static class Needed {
        @Bean
        Service service(Cloche cloche) {
            return new Service(cloche);
        }
    }

    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        var context = SpringApplication.run(new Class<?>[] {WebApplication.class, Needed.class}, arguments);
        WebApplication.say(begin);
        context.close();
    }
}
