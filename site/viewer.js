/** `Content-Type` of text files. S3 names no charset, without which browsers do not read them as UTF-8. */
const textTypes = { ".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8" };

/**
 * Runs in CloudFront before the cache is asked, where it finds the file of a page, and before the response is sent, where it
 * completes the type of a text and adds the Content-Security-Policy. `policies` has the policies of pages by path, and that of
 * all other files under "" (`site/viewer.ts`). CloudFront's runtime knows ES 5.1 and parts of later versions, no destructuring among them.
 */
function handler(event) {
  const request = event.request;
  const uri = request.uri;
  if (event.response) {
    const type = textTypes[uri.slice(uri.lastIndexOf("."))];
    if (type) event.response.headers["content-type"] = { value: type };
    const policy = policies[uri.replace(/\/index\.html$/, "")] || policies[""];
    event.response.headers["content-security-policy"] = { value: policy };
    return event.response;
  }
  if (uri === "/") return { statusCode: 302, headers: { location: { value: "/docs" } } };
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  if (name.indexOf(".") === -1) request.uri = uri + "/index.html";
  return request;
}
