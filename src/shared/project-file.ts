import { z } from 'zod';

/** A file or folder of a project that fits what was typed. */
export interface FoundFile {
  /** Relative to the project, with forward slashes; a folder ends with one. */
  readonly path: string;
  /** Places of the characters of `path` that were typed, ascending. */
  readonly marks: readonly number[];
  /** Its description, for something that is no file: a terminal (`terminal:name`) or a {@link SessionMention}. */
  readonly detail?: string;
}

/** The kinds of such things, which are listed apart. */
export const MentionKind = z.enum(['agents', 'resources']);
export type MentionKind = z.infer<typeof MentionKind>;

/** Something else than a file that a prompt can mention: `agent:name`, or `server:uri` for a resource of a tool server. */
export type SessionMention = Required<Pick<FoundFile, 'path' | 'detail'>>;

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
  /[\s"]|[.,;:!?)\]}'`>]$/.test(path) ? `${openMention(path)}"` : `@${path}`;

/** Begins a mention in quotes; a quote in the path is written as `\"`. */
export const openMention = (path: string): string => `@"${path.replaceAll('"', '\\"')}`;

/** Returns the path that stands in quotes. */
export const unquotedPath = (quoted: string): string => quoted.replaceAll('\\"', '"');

/** A file a user wants to see: absolute, `~/…`, or relative to the project. */
export const FilePick = z.object({
  project: z.string().min(1).max(4096),
  path: z.string().min(1).max(4096),
});
export type FilePick = z.infer<typeof FilePick>;

/** A file for the user's editor. Lines and columns count from 1. */
export const FileEdit = FilePick.extend({
  line: z.number().int().min(1).max(10_000_000).optional(),
  column: z.number().int().min(1).max(100_000).optional(),
  /** The folder that a relative path is looked for in before the project's. */
  folder: z.string().min(1).max(4096).optional(),
});
export type FileEdit = z.infer<typeof FileEdit>;

/** An image file of a project, as a conversation shows it. */
export interface FileImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** A text file as the viewer shows it. */
export interface FileText {
  /** Absolute. */
  readonly path: string;
  /** From the project on where it is in there, else absolute. */
  readonly name: string;
  readonly text: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Only the beginning is in `text`. */
  readonly cut: boolean;
}
