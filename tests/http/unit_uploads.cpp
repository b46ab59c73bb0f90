// Forms with a file: how they are read, and which bodies are no form.
#include <catch2/catch.hpp>

#include "http/html/forms.hpp"

using namespace gateway::http;

namespace {

std::string upload_part(std::string_view disposition, std::string_view content) {
  return std::string{"--b\r\nContent-Disposition: "}
      .append(disposition)
      .append("\r\n\r\n")
      .append(content)
      .append("\r\n");
}

request upload_request(std::string_view type, std::string_view body) {
  request in;
  in.method = "POST";
  in.content_type = type;
  in.body = body;
  return in;
}

}  // namespace

TEST_CASE("the parts of an upload are its fields, and a file's value is its content, byte for byte") {
  const std::string file{"\x89PNG\r\n\0--b\r\n--bb", 17};
  const auto body = upload_part("form-data; name=\"csrf\"", "0123") +
                    upload_part("form-data; name=\"logo\"; filename=\"a;b.png\"\r\nContent-Type: image/png", file) +
                    upload_part("form-data; name=\"empty\"; filename=\"\"", "") + "--b--\r\n";
  const auto sent = form::read_parts(body, "b");
  // A line of the boundary within the file ends it: browsers choose a boundary that the files do not have.
  CHECK_FALSE(sent);
  const std::string plain{"\x89PNG\r\n\0-b\r\n", 12};
  const auto good = form::read_parts(
      upload_part("form-data; name=\"csrf\"", "0123") +
          upload_part("form-data; name=\"logo\"; filename=\"a.png\"\r\nContent-Type: image/png", plain) +
          upload_part("form-data; name=\"empty\"; filename=\"\"", "") + "--b--\r\n",
      "b");
  REQUIRE(good);
  CHECK(good->text("csrf") == "0123");
  CHECK(good->text("logo") == plain);
  CHECK(good->has("empty"));
  CHECK(good->text("empty").empty());
  CHECK(form::read_parts("--b--", "b"));
}

TEST_CASE("a body that is no upload has no fields") {
  const auto one = upload_part("form-data; name=\"a\"", "1");
  std::string many;
  for (int i = 0; i < 33; ++i) many += one;
  for (const std::string& body :
       {std::string{}, std::string{"a=1"}, one, one + "--b", one + "--c--", "x" + one + "--b--",
        upload_part("attachment; name=\"a\"", "1") + "--b--", upload_part("form-data", "1") + "--b--",
        upload_part("form-data; name=\"a", "1") + "--b--", std::string{"--b\r\n\r\n1\r\n--b--"}, many + "--b--",
        upload_part("form-data; name=\"" + std::string(3'000, 'a') + "\"", "1") + "--b--"}) {
    CAPTURE(body.substr(0, 80));
    CHECK_FALSE(form::read_parts(body, "b"));
  }
  CHECK_FALSE(form::read_parts(one + "--b--", ""));
  CHECK_FALSE(form::read_parts(one + "--b--", std::string(71, 'b')));
}

TEST_CASE("an upload names its boundary") {
  const auto body = upload_part("form-data; name=\"a\"", "1") + "--b--\r\n";
  for (const auto* type : {"multipart/form-data; boundary=b", "multipart/form-data;boundary=\"b\"",
                           "Multipart/Form-Data; charset=utf-8; Boundary=b"}) {
    CAPTURE(type);
    CHECK(is_upload(type));
    CHECK(read_upload(upload_request(type, body)).text("a") == "1");
  }
  for (const auto* type :
       {"multipart/form-data", "multipart/form-data; boundary=\"b", "multipart/form-data; boundary=c",
        "multipart/mixed; boundary=b", "application/x-www-form-urlencoded"}) {
    CAPTURE(type);
    CHECK_FALSE(read_upload(upload_request(type, body)).has("a"));
  }
  CHECK_FALSE(is_upload(std::nullopt));
  CHECK_FALSE(is_upload("multipart/form-data-x"));
}
