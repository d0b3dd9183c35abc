import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A small service that logs with java.util.logging and fails now and then, with causes nested three deep. */
public final class Warehouse {
    private static final Logger LOG = Logger.getLogger(Warehouse.class.getName());
    private static final Random RANDOM = new Random(20240229);

    static final class OrderFailed extends RuntimeException {
        OrderFailed(int order, Throwable cause) {
            super("order " + order + " could not be booked", cause);
        }
    }

    static final class StockUnavailable extends Exception {
        StockUnavailable(String article, Throwable cause) {
            super("no stock information for article " + article, cause);
        }
    }

    static final class Connection implements AutoCloseable {
        @Override
        public void close() {
            throw new IllegalStateException("connection was closed twice");
        }
    }

    private static String readStock(String article) throws IOException {
        return Files.readString(Path.of("/srv/stock", article + ".json"));
    }

    private static void check(String article) throws StockUnavailable {
        try (Connection connection = new Connection()) {
            LOG.fine(() -> "reading " + article + " over " + connection);
            readStock(article);
        } catch (IOException problem) {
            throw new StockUnavailable(article, problem);
        }
    }

    private static void book(int order) {
        String article = "A-" + (1000 + RANDOM.nextInt(9000));
        try {
            if (order % 41 == 0) {
                check(article);
            } else if (order % 67 == 0) {
                Object[] lines = new Object[order % 3];
                lines[3] = article;
            }
        } catch (StockUnavailable problem) {
            throw new OrderFailed(order, problem);
        }
        LOG.log(Level.INFO, "order {0} booked: article {1}, quantity {2}", new Object[] {String.valueOf(order), article, 1 + RANDOM.nextInt(5)});
    }

    public static void main(String[] arguments) throws InterruptedException {
        LOG.log(Level.CONFIG, "warehouse starts with {0} workers", 2);
        ExecutorService workers = Executors.newFixedThreadPool(2);
        for (int order = 1; order <= 260; order++) {
            final int number = order;
            Future<?> booking = workers.submit((Callable<Void>) () -> {
                book(number);
                return null;
            });
            try {
                booking.get();
            } catch (ExecutionException problem) {
                LOG.log(Level.SEVERE, "worker gave up on order " + number, problem);
            }
            if (order % 50 == 0) {
                LOG.warning("stock cache holds " + order * 13 + " entries, more than the 500 that were planned");
            }
            Thread.sleep(order % 90 == 0 ? 2500 : 15);
        }
        workers.shutdown();
        deepest(List.of("total", "of", "the", "day"), 0);
    }

    private static void deepest(List<String> words, int depth) {
        if (depth < 12) {
            deepest(words, depth + 1);
            return;
        }
        throw new UncheckedIOException("the report of the day was not written", new IOException("No space left on device: " + words));
    }
}
