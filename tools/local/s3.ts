import { createHash, createHmac, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "./loopback.ts";

type S3Options = {
  readonly secretAccessKey: string;
  /** Folder of the objects. Without it, they are kept in memory. */
  readonly folder?: string;
};

/**
 * Serves S3's GetObject with the start of a range, PutObject, DeleteObject, ListObjectsV2 and multipart uploads on this
 * machine, for any bucket. The bucket is the first part of the path. A list has one page. Like S3, it refuses unsigned
 * requests.
 */
export async function startS3({ secretAccessKey, folder }: S3Options): Promise<Serving> {
  const objects = folder === undefined ? inMemory() : inFolder(folder);
  const uploads = openUploads(objects);

  return serve({ port: 0, maxBodyBytes: 1024 * 1024 * 1024 }, async (request): Promise<HttpAnswer> => {
    const refusal = refusalOf(request, secretAccessKey);
    if (refusal) return refusal;
    const { pathname: name, searchParams } = new URL(request.target, "http://s3");
    const answer = uploads(request, name, searchParams);
    if (answer) return answer;
    if (request.method === "GET" && searchParams.get("list-type") === "2")
      return listed(objects.names(), name.replace(/\/$/, ""), searchParams.get("prefix") ?? "");
    if (request.method === "PUT") objects.set(name, request.body ?? Buffer.alloc(0));
    if (request.method === "DELETE") objects.delete(name);
    if (request.method !== "GET") return { status: request.method === "PUT" ? 200 : 204, headers: [], body: "" };
    const object = objects.get(name);
    if (!object) return refused(404, "NoSuchKey");
    const [, from] = /^bytes=(\d+)-$/.exec(headerOf(request, "range") ?? "") ?? [];
    if (from === undefined) return { status: 200, headers: [], body: object };
    if (Number(from) >= object.length) return refused(416, "InvalidRange");
    return { status: 206, headers: [], body: object.subarray(Number(from)) };
  });
}

type Store = {
  readonly get: (name: string) => Buffer | undefined;
  readonly set: (name: string, object: Buffer) => void;
  readonly delete: (name: string) => void;
  readonly names: () => string[];
};

function inMemory(): Store {
  const objects = new Map<string, Buffer>();
  return {
    get: (name) => objects.get(name),
    set: (name, object) => void objects.set(name, object),
    delete: (name) => void objects.delete(name),
    names: () => [...objects.keys()],
  };
}

function inFolder(folder: string): Store {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string) => join(folder, encodeURIComponent(name));
  return {
    get(name) {
      try {
        return readFileSync(fileOf(name));
      } catch {
        return undefined;
      }
    },
    set: (name, object) => writeFileSync(fileOf(name), object),
    delete: (name) => rmSync(fileOf(name), { force: true }),
    names: () => readdirSync(folder).map(decodeURIComponent),
  };
}

/** The smallest size of a part that is not the last one, in bytes. */
const minPartBytes = 5 * 1024 * 1024;

/** Handles requests of multipart uploads, which are kept in memory until they are completed. */
function openUploads(objects: Store) {
  const uploads = new Map<string, Map<number, Buffer>>();
  return ({ method, body = Buffer.alloc(0) }: HttpRequest, name: string, query: URLSearchParams) => {
    if (method === "POST" && query.has("uploads")) {
      const id = randomUUID();
      uploads.set(id, new Map());
      return xml(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    const id = query.get("uploadId");
    if (id === null) return undefined;
    const parts = uploads.get(id);
    if (!parts) return refused(404, "NoSuchUpload");
    if (method === "PUT") {
      parts.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: [["etag", etagOf(body)]], body: "" } satisfies HttpAnswer;
    }
    const named = [...body.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
      bytes: parts.get(Number(/<PartNumber>(\d+)/.exec(part)?.[1])),
      etag: /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll("&quot;", '"'),
    }));
    const bytes = named.flatMap((part) => (part.bytes && part.etag === etagOf(part.bytes) ? [part.bytes] : []));
    if (bytes.length === 0 || bytes.length < named.length) return refused(400, "InvalidPart");
    if (bytes.slice(0, -1).some(({ length }) => length < minPartBytes)) return refused(400, "EntityTooSmall");
    objects.set(name, Buffer.concat(bytes));
    uploads.delete(id);
    return xml(200, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  };
}

const etagOf = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

function listed(names: readonly string[], bucket: string, prefix: string): HttpAnswer {
  const start = `${bucket}/`;
  const keys = names.filter((name) => name.startsWith(`${start}${prefix}`)).map((name) => name.slice(start.length));
  const contents = keys.toSorted().map((key) => `<Contents><Key>${key}</Key></Contents>`);
  const body = `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join("")}</ListBucketResult>`;
  return xml(200, body);
}

/** Checks the signature (Signature Version 4) and the signed checksum of the body. */
function refusalOf(request: HttpRequest, secret: string): HttpAnswer | undefined {
  const authorization = headerOf(request, "authorization") ?? "";
  const [, scope = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(authorization) ?? [];
  if (signature === undefined) return refused(403, "AccessDenied");
  const time = headerOf(request, "x-amz-date") ?? "";
  const checksum = headerOf(request, "x-amz-content-sha256") ?? "";
  const { pathname, searchParams } = new URL(request.target, "http://s3");
  searchParams.sort();
  const signed = names.split(";");
  const canonical = [
    request.method,
    pathname,
    searchParams.toString(),
    ...signed.map((name) => `${name}:${headerOf(request, name) ?? ""}`),
    "",
    names,
    checksum,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce((last: string | Buffer, part) => hmac(last, part), `AWS4${secret}`);
  const isComplete = ["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name));
  if (!isComplete || hmac(key, toSign).toString("hex") !== signature) return refused(403, "SignatureDoesNotMatch");
  return checksum === sha256(request.body ?? "") ? undefined : refused(400, "XAmzContentSHA256Mismatch");
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

const refused = (status: number, code: string): HttpAnswer =>
  xml(status, `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);

const xml = (status: number, body: string): HttpAnswer => ({
  status,
  headers: [["content-type", "application/xml"]],
  body,
});
