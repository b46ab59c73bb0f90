// A create and a capture through the client that openapi-generator makes for Java.
import java.io.FileInputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import okio.ByteString;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.model.CapturePayment;
import org.openapitools.client.model.CreatePayment;
import org.openapitools.client.model.PaymentState;

class First {
  static Response signed(Interceptor.Chain chain) throws IOException {
    Request request = chain.request();
    Buffer body = new Buffer();
    if (request.body() != null) request.body().writeTo(body);
    String at = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    String lines = String.join("\n", request.method(), request.url().encodedPath(), at, body.sha256().hex());
    ByteString secret = ByteString.encodeUtf8(System.getenv("GATEWAY_SECRET"));
    return chain.proceed(request.newBuilder()
        .header("X-Service-Key-Id", System.getenv("GATEWAY_KEY_ID"))
        .header("X-Service-Timestamp", at)
        .header("X-Service-Signature", ByteString.encodeUtf8(lines).hmacSha256(secret).hex())
        .build());
  }

  public static void main(String[] arguments) throws Exception {
    String payment = System.getenv("PAYMENT_ID");
    ApiClient client = new ApiClient();
    client.setHttpClient(client.getHttpClient().newBuilder().addInterceptor(First::signed).build());
    client.setBasePath(System.getenv("GATEWAY_URL"));
    client.setSslCaCert(new FileInputStream(System.getenv("GATEWAY_CA_FILE")));
    PaymentsApi payments = new PaymentsApi(client);

    var body = new CreatePayment().paymentId(payment).amount(4200L).currency("HKD").paymentMethod("pm_card_visa");
    var created = payments.createPayment(UUID.randomUUID().toString(), body, null, null, null);
    if (created.getState() != PaymentState.PaymentStateAuthorized) throw new IllegalStateException(created.toString());
    var captured = payments.capturePayment(payment, UUID.randomUUID().toString(), null, null, null, new CapturePayment());
    System.out.println(captured.getState() + " " + captured.getCapturedAmount());
  }
}
