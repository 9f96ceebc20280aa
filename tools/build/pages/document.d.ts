declare module "document:*" {
  /** Made by the build: see `tools/build/pages/files.ts`. */
  const file: import("../../../lib/http/file.ts").File;
  export default file;
}
