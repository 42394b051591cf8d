import { createHash } from 'node:crypto';
import path from 'node:path';
import { inBatches } from '../in-batches';
import { relativeInside } from '../permissions/paths';
import type { Files } from '../ports';
import { MAX_SKILL_BYTES } from './definition-places';
import { type FullFinding, hookCommands, serversIn, shorten } from './findings';
import { MAX_FRONT_CHARS, readFrontmatter, splitFront } from './frontmatter';
import { inlineCommands } from './inline-commands';
import { decodeText } from './json-text';

/** Bounds of the look into `.claude`: more is named as one finding, so that nothing hides behind them. */
const MAX_FILES = 300;
/** As deep as `markdown-files.ts` looks. */
const MAX_DEPTH = 6;
/** The fields of all definitions together that are parsed, which takes a second for every 32 KB of the worst. */
const MAX_PARSED_CHARS = 4 * MAX_FRONT_CHARS;

/** The fields that make an agent, skill or command run something or need no permission. docs/configuration.md. */
const ACTIVE_FIELDS: readonly string[] = [
  ...['hooks', 'mcpServers', 'allowed-tools', 'tools', 'permissionMode', 'shell', 'model'],
  'isolation',
];
/** One of their names where it may be a field: YAML is loaded and parsed for such a text alone. */
const MAY_BE_ACTIVE = new RegExp(
  `(?<![\\w-])(?:${ACTIVE_FIELDS.join('|')})(?=\\s*(?:[:#]|$))`,
  'm',
);
/** Returns the agents, skills and commands of a folder that would run or be allowed something. */
export async function findFolderScripts(files: Files, project: string): Promise<FullFinding[]> {
  const found: FullFinding[] = [];
  const real = await files.realPath(project);
  const within = real.ok ? real.value : project;
  const budget = { left: MAX_FILES };
  const parsed = { left: MAX_PARSED_CHARS };
  const hashed = { left: MAX_HASHED_BYTES };
  for (const [folder, kind] of FOLDERS) {
    const root = path.join(project, '.claude', folder);
    const below = await filesBelow(files, root, within, budget);
    for (const { file, real } of below.leads) {
      const detail = 'a link that leads out of the project';
      found.push({ kind, what: path.basename(file), detail, content: real, file });
    }
    const seen = await inBatches(below.files, (file) => lookAt(files, file));
    // One after another, so that the same definitions are parsed every time, and the same files hashed.
    for (const one of seen) {
      const { file } = one;
      const content = one.content ?? (await markOfLarge(files, file, hashed));
      const detail = one.whole ?? (await activeParts(one, parsed)).join(' · ');
      if (detail !== '')
        found.push({ kind, what: path.basename(file), detail: shorten(detail), content, file });
    }
  }
  if (budget.left < 0) {
    const file = path.join(project, '.claude');
    const detail = `more than ${MAX_FILES} files of agents, skills and commands`;
    found.push({ kind: 'other', what: '.claude', detail, content: detail, file });
  }
  return found;
}

const FOLDERS = [
  ['agents', 'agents'],
  ['skills', 'skills'],
  ['commands', 'skills'],
] as const;

/** The files below a folder, sorted, and the links on the way that lead out of the project. */
interface Below {
  readonly files: readonly string[];
  readonly leads: readonly { readonly file: string; readonly real: string }[];
}

/**
 * Returns what is below a folder, as far as the budget of entries goes. Links to folders are followed as
 * `markdown-files.ts` does: not out of the project, and not to a folder that they are in.
 */
async function filesBelow(
  files: Files,
  root: string,
  project: string,
  budget: { left: number },
): Promise<Below> {
  const found: string[] = [];
  const leads: { file: string; real: string }[] = [];
  /** Returns a folder with the real paths of those it is in, its own last; null when it is not to be looked into. */
  const entered = async (file: string, chain: readonly string[]): Promise<Folder | null> => {
    const real = await files.realPath(file);
    if (!real.ok) return null;
    if (relativeInside(project, real.value, false) === null) {
      leads.push({ file, real: real.value });
      return null;
    }
    const isLoop = chain.some((one) => relativeInside(real.value, one, false) !== null);
    return isLoop ? null : { file, chain: [...chain, real.value] };
  };
  const there = await files.stat(root);
  const isFolder = there.ok && there.value.kind === 'directory';
  let folders = [isFolder ? await entered(root, []) : null].filter((folder) => folder !== null);
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0; depth += 1) {
    const listed = await inBatches(folders, async ({ file, chain }) => {
      const list = await files.list(file);
      return list.ok ? list.value.map((entry) => ({ ...entry, folder: file, chain })) : [];
    });
    const entries = listed.flat().sort((a, b) => a.name.localeCompare(b.name));
    const kept = entries.slice(0, Math.max(0, budget.left));
    budget.left -= entries.length;
    const below = await inBatches(kept, async ({ folder, name, kind, chain }) => {
      const file = path.join(folder, name);
      const stat = kind === 'link' ? await files.stat(file) : null;
      if (kind === 'directory' || (stat?.ok && stat.value.kind === 'directory'))
        return entered(file, chain);
      if (kind !== 'other') found.push(file);
      return null;
    });
    folders = below.filter((folder) => folder !== null);
  }
  leads.sort((a, b) => a.file.localeCompare(b.file));
  return { files: found.sort((a, b) => a.localeCompare(b)), leads };
}

/** A folder, with the real paths of those it is in, its own last. */
interface Folder {
  readonly file: string;
  readonly chain: readonly string[];
}

/** The parts of a file of a definition, before its fields are parsed. */
interface Seen {
  readonly file: string;
  /** Stands for all of it; null: it is larger than what is read at once. */
  readonly content: string | null;
  /** The finding for it as a whole, whatever its parts are; null: its parts are looked at. */
  readonly whole: string | null;
  readonly front: string;
  /** The commands in its text. */
  readonly commands: readonly string[];
}

async function lookAt(files: Files, file: string): Promise<Seen> {
  const bytes = await files.read(file, MAX_SKILL_BYTES);
  const isLarge = !bytes.ok && bytes.error.code === 'too_large';
  const digest = bytes.ok ? createHash('sha256').update(bytes.value).digest('hex') : 'unreadable';
  const seen = { file, content: isLarge ? null : digest, whole: null, front: '', commands: [] };
  const size = isLarge ? ', larger than 1 MB' : '';
  if (!file.endsWith('.md')) return { ...seen, whole: `a file it can run${size}` };
  if (!bytes.ok) {
    // Behind a link that leads nowhere is nothing to run.
    const isGone = bytes.error.code === 'not_found';
    return { ...seen, whole: isGone ? null : `a text that cannot be looked at${size}` };
  }
  const { text } = decodeText(bytes.value);
  const { front, body } = splitFront(text) ?? { front: '', body: text };
  return { ...seen, front, commands: inlineCommands(body).map(({ command }) => command) };
}

/** The content of large files that is hashed in one look; reading it takes a good part of a second. Bytes. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Returns what stands for a file that is larger than what is read at once. Beyond the budget it is the beginning of its
 * content, and its size, time and identity: git and archives give those to no changed file by chance.
 */
async function markOfLarge(files: Files, file: string, budget: { left: number }): Promise<string> {
  const stat = await files.stat(file);
  if (!stat.ok) return 'unreadable';
  const { identity, mtimeMs, size } = stat.value;
  const end = Math.min(size, Math.max(CHUNK_BYTES, budget.left));
  const hash = createHash('sha256');
  for (let at = 0; at < end; at += CHUNK_BYTES) {
    const bytes = await files.readRange(file, at, Math.min(at + CHUNK_BYTES, end));
    if (!bytes.ok) return 'unreadable';
    hash.update(bytes.value);
  }
  budget.left -= end;
  return [hash.digest('hex'), ...(end < size ? [size, mtimeMs, identity] : [])].join(' ');
}

/** Returns what a definition sets and runs, for people; empty when that is nothing. */
async function activeParts(
  { front, commands }: Seen,
  parsed: { left: number },
): Promise<readonly string[]> {
  const parts = (set: readonly string[], run: readonly string[] = commands) => [
    ...set,
    ...(run.length === 0 ? [] : [`runs ${run.join('; ')}`]),
  ];
  if (front.length > MAX_FRONT_CHARS) return parts(['fields longer than 32 KB']);
  if (!MAY_BE_ACTIVE.test(front)) return parts([]);
  parsed.left -= front.length;
  if (parsed.left < 0)
    return parts(['fields that were not looked at: there are too many in this folder']);
  const { fields } = await readFrontmatter(`---\n${front}\n---\n`);
  const active = [...fields.keys()].filter((name) => ACTIVE_FIELDS.includes(name));
  const started = [...hookCommands(fields.get('hooks')), ...serversIn(fields.get('mcpServers'))];
  return parts(active.length === 0 ? [] : [`sets ${active.join(', ')}`], [...started, ...commands]);
}
