import { join } from 'node:path';
import ignore from 'ignore';
import type { SettingsProblem } from '../../../shared/settings';
import { textTokens } from '../context/tokens';
import type { DirectoryEntry, Files } from '../ports';
import type { LoadedMemory, MemoryFile } from './memory-loader';
import { problemOf } from './memory-text';
import { cutText } from './section';

/** The facts in front of the first message. Computed once a session: they must not change under thinking blocks. */
export interface UserContext {
  readonly memory: readonly MemoryFile[];
  readonly cwd: string;
  readonly gitBranch: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name; default: the system's. */
  readonly timeZone?: string;
}

const KIND: Readonly<Record<MemoryFile['kind'], string>> = {
  managed: 'instructions of the organisation',
  user: "the user's own instructions for all projects",
  auto: 'notes that agents took about this project; its topics are files beside it',
  project: 'instructions of the project',
  local: "the user's own instructions for this project",
  import: 'imported by the file before',
};

/** Returns the text of the opening reminder (docs/spec.md B4); `normalizeMessages` wraps it and puts it first. */
export function userContextText(context: UserContext): string {
  const facts = [
    `Working directory: ${context.cwd}`,
    ...(context.gitBranch === null ? [] : [`Git branch: ${context.gitBranch}`]),
    `Today's date: ${dateOf(context.now, context.timeZone)}`,
  ].join('\n');
  if (context.memory.length === 0) return facts;
  const memory = context.memory.map((f) => `Contents of ${f.path} (${KIND[f.kind]}):\n\n${f.text}`);
  return [
    'Instructions for work here. They go before your defaults; where two disagree, the later one counts. What the user says in the conversation goes before all of them.',
    ...memory,
    facts,
  ].join('\n\n');
}

/**
 * Returns the date where the user is, e.g. `2026-11-21`. Without a time zone of its own it needs no Intl, which
 * takes 15 ms to load.
 */
function dateOf(now: number, timeZone: string | undefined): string {
  if (timeZone === undefined) {
    const date = new Date(now);
    const two = (part: number) => String(part).padStart(2, '0');
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  }
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZone,
  });
  const part = (type: string) => format.formatToParts(now).find((p) => p.type === type)?.value;
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** Entries that are listed at most: about a thousand tokens. */
const MAX_ENTRIES = 200;
/** A `.gitignore` beyond this is not read. Bytes. */
const MAX_IGNORE_BYTES = 256 * 1024;
/** Entries of one folder that are listed at most, so that one large folder hides no others. */
const MAX_IN_FOLDER = 40;

/**
 * Lists a project folder two levels deep, as the model is shown it: folders first, what its `.gitignore` names left
 * out, what is left out for its number counted. Null when the folder cannot be read. Starts no program.
 */
export async function listDirectory(
  files: Files,
  project: string,
  signal: AbortSignal,
): Promise<string | null> {
  const top = await files.list(project);
  if (!top.ok) return null;
  const rules = ignore().add('.git/');
  const own = await files.read(join(project, '.gitignore'), MAX_IGNORE_BYTES);
  if (own.ok) rules.add(new TextDecoder().decode(own.value));
  const kept = (entries: readonly DirectoryEntry[], folder: string) =>
    entries
      .filter(({ name, kind }) => !rules.ignores(pathOf(folder, name, kind)))
      .toSorted(foldersFirst);

  const shown = kept(top.value, '');
  const lines: string[] = [];
  let left = MAX_ENTRIES - Math.min(shown.length, MAX_IN_FOLDER);
  for (const entry of shown.slice(0, MAX_IN_FOLDER)) {
    lines.push(nameOf(entry));
    if (entry.kind !== 'directory' || left <= 0 || signal.aborted) continue;
    const inside = await files.list(join(project, entry.name));
    if (!inside.ok) continue;
    const children = kept(inside.value, entry.name);
    const room = Math.min(left, MAX_IN_FOLDER);
    lines.push(...children.slice(0, room).map((child) => `  ${nameOf(child)}`));
    if (children.length > room) lines.push(`  … ${children.length - room} more`);
    left -= Math.min(children.length, room);
  }
  if (shown.length > MAX_IN_FOLDER) lines.push(`… ${shown.length - MAX_IN_FOLDER} more`);
  return lines.join('\n');
}

/** Returns a path as `.gitignore` rules are matched against it. */
const pathOf = (folder: string, name: string, kind: DirectoryEntry['kind']): string =>
  `${folder === '' ? '' : `${folder}/`}${name}${kind === 'directory' ? '/' : ''}`;

/** Returns a name on one line: whatever a stranger put into it cannot begin a line of its own. */
const nameOf = ({ name, kind }: DirectoryEntry): string =>
  `${name.replace(/[\p{C}]/gu, '?').slice(0, 200)}${kind === 'directory' ? '/' : ''}`;

const foldersFirst = (a: DirectoryEntry, b: DirectoryEntry): number =>
  Number(b.kind === 'directory') - Number(a.kind === 'directory') || (a.name < b.name ? -1 : 1);

/**
 * Fits memory into `room` tokens: files are kept in their order, the one that is too much is cut, those after it are
 * left out and told. Pure.
 */
export function fitMemory({ files, problems, ...more }: LoadedMemory, room: number): LoadedMemory {
  let left = room;
  const kept: MemoryFile[] = [];
  const gone: SettingsProblem[] = [];
  for (const file of files) {
    const tokens = textTokens(file.text);
    const text = tokens <= left ? file.text : cutText(file.text, left);
    if (text !== null) kept.push({ ...file, text });
    const what = text === null ? 'left out' : 'cut';
    if (text !== file.text) gone.push(problemOf(file.path, `${what}: the prompt has no more room`));
    left = Math.max(0, left - tokens);
  }
  return { ...more, files: kept, problems: [...problems, ...gone] };
}
