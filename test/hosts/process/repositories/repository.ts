import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ScriptedBlock } from '../../../support/scripted-api-replies';
import type { Workspace } from '../lathe';

/** A file as a test puts it down: its text or bytes, or something that only looks like a file. */
export type Content =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly pipe: true }
  | { readonly folder: true }
  /** A file of a size, of which only the beginning is written. */
  | { readonly begins: string; readonly bytes: number };

/** Files by their paths in the project, or behind `~/` in the home. */
export type Files = Readonly<Record<string, Content>>;

/** A thing that a repository brings, and what becomes of it. */
export interface Row {
  readonly of: string;
  readonly files?: Files;
  /** Parts of what the run says on standard error; none: it does not name the files. The project is `.`, the home `~`. */
  readonly told?: readonly string[];
  /** Parts of what is sent. */
  readonly sent?: readonly string[];
  /** What must not be in it. */
  readonly unsent?: readonly string[];
}

/** A repository that a run without a window answers a prompt in. */
export interface Repository {
  readonly name: string;
  readonly prompt?: string;
  /** Words of the command line behind the prompt. */
  readonly words?: readonly string[];
  readonly files?: Files;
  /** Calls that the model makes first; what is sent after them counts too. */
  readonly calls?: readonly ScriptedBlock[];
  readonly rows: readonly Row[];
}

/** Puts files into a workspace. */
export async function putFiles({ home, project }: Workspace, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(project, name);
    await mkdir(dirname(path), { recursive: true });
    if (typeof content === 'string' || content instanceof Uint8Array)
      await writeFile(path, content);
    else if ('link' in content) await symlink(content.link, path);
    else if ('pipe' in content) execFileSync('mkfifo', [path]);
    else if ('folder' in content) await mkdir(path);
    else await putLarge(path, content);
  }
}

async function putLarge(
  path: string,
  { begins, bytes }: { readonly begins: string; readonly bytes: number },
): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.write(begins);
    await file.truncate(bytes);
  } finally {
    await file.close();
  }
}

/** Returns a Markdown file with fields before its text. */
export const withFields = (fields: string, body = 'Work.'): string =>
  `---\n${fields}\n---\n${body}\n`;

/** Returns a text as UTF-16 with a byte order mark. */
export const utf16 = (text: string): Uint8Array => Buffer.from(`\uFEFF${text}`, 'utf16le');

/** Returns a text whose every `¿` is a byte that no UTF-8 text has. */
export const notUtf8 = (text: string): Uint8Array =>
  Buffer.from(text.replaceAll('¿', '\xff'), 'latin1');

/** Problems that a run tells one by one. */
const MOST_TOLD = 20;

/** Splits a repository so that every problem in it is told. */
export const inParts = (whole: Repository): readonly Repository[] =>
  Array.from({ length: Math.ceil(whole.rows.length / MOST_TOLD) }, (_, part) => ({
    ...whole,
    name: `${whole.name}, part ${part + 1}`,
    rows: whole.rows.slice(part * MOST_TOLD, (part + 1) * MOST_TOLD),
  }));
