import { z } from 'zod';

/** A file or folder of a project that fits what was typed. */
export interface FoundFile {
  /** Relative to the project, with forward slashes; a folder ends with one. */
  readonly path: string;
  /** Places of the characters of `path` that were typed, ascending. */
  readonly marks: readonly number[];
}

/** The answer of the file finder. */
export interface FileFindings {
  /** The best first. */
  readonly found: readonly FoundFile[];
  /** Files and folders that were looked through. */
  readonly searched: number;
  /** The project has more files than the index holds. */
  readonly partial: boolean;
}

/** A question to the file finder. */
export const FileQuery = z.object({
  project: z.string().min(1).max(4096),
  /** Characters of the path, in order. Empty: what is in the project's own folder. */
  text: z.string().max(500),
  /** Leaves folders out. */
  filesOnly: z.boolean().optional(),
});
export type FileQuery = z.infer<typeof FileQuery>;

/** Writes a path as a mention in a prompt (`@path`), in quotes where its end would not be found. */
export const mentionText = (path: string): string =>
  /[\s"]|[.,;:!?)\]}'`>]$/.test(path) ? `@"${path}"` : `@${path}`;
