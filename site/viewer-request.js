/**
 * Runs in CloudFront before the cache is asked: finds the file of a page. CloudFront's runtime knows ES 5.1 and parts of
 * later versions, no destructuring among them.
 */
function handler(event) {
  const request = event.request;
  const uri = request.uri;
  if (uri === "/") return { statusCode: 302, headers: { location: { value: "/docs" } } };
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  if (name.indexOf(".") === -1) request.uri = uri + "/index.html";
  return request;
}
