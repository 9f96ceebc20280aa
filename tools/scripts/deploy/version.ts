import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as v from "valibot";

/**
 * Returns the version to build from a working copy: the release and the commit, such as `1.0.0+3f2a9c1d4e5f`. If files differ
 * from the commit or are new, it ends in `.dirty`. Outside of a Git repository, it is the release.
 */
export async function versionOf(folder: string, release: string): Promise<string> {
  const git = async (...words: readonly string[]) => {
    const { stdout } = await promisify(execFile)("git", words, { cwd: folder });
    return stdout.trim();
  };
  const commit = await git("rev-parse", "--short=12", "HEAD").catch(() => undefined);
  if (commit === undefined) return release;
  const isDirty = (await git("status", "--porcelain")) !== "";
  return `${release}+${commit}${isDirty ? ".dirty" : ""}`;
}

const Template = v.object({ Outputs: v.optional(v.object({ Version: v.optional(v.object({ Value: v.string() })) })) });

/** Returns the version of which a template was made. Undefined for templates of earlier versions, which do not have it. */
export const versionIn = (template: string): string | undefined =>
  v.parse(Template, JSON.parse(template)).Outputs?.Version?.Value;
