import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the block of docs/recipes/drivers.md, which replaces a comment, and prints what arrived, one line each. */
class Run {
    interface Count {
        int get() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        var connection = DriverManager.getConnection(arguments[0]);
        var numbers = arguments[1].split(",");
        var embedding = new float[numbers.length];
        for (int i = 0; i < numbers.length; i++) embedding[i] = Float.parseFloat(numbers[i]);

        System.out.println("block: " + block(connection, embedding));
        System.out.println("types: " + types(connection));
        var text = Arrays.toString(embedding);
        System.out.println("array_as_real: " + count(connection, "?::real[]", embedding));
        System.out.println("array_as_vector: " + count(connection, "?::vector", embedding));
        System.out.println("text_as_real: " + count(connection, "?::real[]", text));
        System.out.println("text_as_vector: " + count(connection, "?::vector", text));
        System.out.println("text_as_both: " + count(connection, "?::vector::real[]", text));
        var nearest = connection.prepareStatement(
            "SELECT chunk_id FROM rag.embeddings ORDER BY embedding <=> ?::real[]::vector LIMIT 1");
        nearest.setObject(1, embedding);
        System.out.println("nearest: " + nearest.executeQuery().next());
    }

    static boolean block(Connection connection, float[] embedding) throws Exception {
        // BLOCK
        return rows.getString("uri") != null && passages.next();
    }

    static String types(Connection connection) throws Exception {
        var row = connection.createStatement().executeQuery(
            "SELECT section, chunk_ids, spans, citations, tokens FROM passage.search('filters', max_passages => 1)");
        row.next();
        List<String> types = new ArrayList<>();
        for (int column = 1; column <= 5; column++) {
            var value = row.getObject(column);
            if (value instanceof java.sql.Array array) value = array.getArray();
            types.add(value.getClass().getSimpleName());
        }
        return String.join(" | ", types);
    }

    static String count(Connection connection, String argument, Object value) {
        try {
            var statement = connection.prepareStatement(
                "SELECT count(*) FROM passage.search_hits(embedding => " + argument + ")");
            statement.setObject(1, value);
            var rows = statement.executeQuery();
            rows.next();
            return String.valueOf(rows.getInt(1));
        } catch (Exception error) {
            return error.getMessage().split("\n")[0];
        }
    }
}
