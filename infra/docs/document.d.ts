declare module "document:*" {
  /** Made by the build: see `infra/docs/files.ts`. */
  const file: import("../../lib/http/file.ts").File;
  export default file;
}
