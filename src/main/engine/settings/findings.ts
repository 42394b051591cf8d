import { createHash } from 'node:crypto';
import path from 'node:path';
import type { TrustFinding } from '../../../shared/settings';
import { inBatches } from '../in-batches';
import { relativeInside } from '../permissions/paths';
import { toolName } from '../permissions/server-names';
import type { Files } from '../ports';
import { MAX_SKILL_BYTES } from './definition-places';
import { MAX_FRONT_CHARS, readFrontmatter, splitFront } from './frontmatter';
import { readHooks } from './hook-settings';
import { inlineCommands } from './inline-commands';
import { decodeText, readJson } from './json-text';
import type { SettingsLayer } from './read';
import { CLOUD_COMMANDS } from './schema';

/** A finding and everything it stands for; `content` goes into the hash only, for it may be long or secret. */
export interface FullFinding extends Omit<TrustFinding, 'mark' | 'isNew'> {
  readonly content: string;
}

/** Returns what trusting the folder would turn on in one of its settings files. Pure. */
export function findingsIn(layer: SettingsLayer): FullFinding[] {
  const { fields, permissions, file } = layer;
  const found: FullFinding[] = [];
  const add = (kind: TrustFinding['kind'], what: string, detail: string, content = detail) =>
    found.push({ kind, what, detail: shorten(detail), content, file });

  for (const [event, entries] of Object.entries(fields.hooks ?? {}))
    add('hooks', event, hookCommands(entries).join('; ') || 'a hook', JSON.stringify(entries));
  // Of hooks that stand twice all count, and the last ones alone are shown above.
  if (layer.hooks.length > countOf(fields.hooks ?? {}, layer)) {
    const all = layer.hooks.map(({ line: _line, ...hook }) => hook);
    const detail = all.map(({ run, args = [] }) => [run, ...args].join(' ')).join('; ');
    add('hooks', 'hooks that stand twice', detail, JSON.stringify(all));
  }
  if (fields.disableAllHooks)
    add('hooks', 'disableAllHooks', 'switches every hook off, your own too');
  if (fields.apiKeyHelper) add('helper', 'apiKeyHelper', fields.apiKeyHelper);
  for (const name of CLOUD_COMMANDS) {
    const command = fields[name];
    if (command !== undefined) add('helper', name, command);
  }
  if (fields.statusLine) add('helper', 'statusLine', fields.statusLine.command);
  for (const [name, value] of Object.entries(layer.env))
    add(sendsElsewhere(name) ? 'baseUrl' : 'env', name, masked(name, value), value);
  for (const rule of layer.rules) if (rule.behavior === 'allow') add('allow', 'allow', rule.text);
  for (const folder of layer.additionalDirectories) add('other', 'additionalDirectories', folder);
  if (permissions.defaultMode === 'acceptEdits') add('other', 'defaultMode', 'acceptEdits');
  for (const [name, server] of Object.entries(fields.mcpServers ?? {}))
    add('mcp', name, serverText(server), JSON.stringify(server));
  for (const name of PROMPT_FIELDS) {
    const value = fields[name];
    if (value !== undefined) add('other', name, String(value));
  }
  if (fields.enableAllProjectMcpServers) add('mcp', 'enableAllProjectMcpServers', 'all servers');
  for (const name of [
    'enabledPlugins',
    'extraKnownMarketplaces',
    'additionalMarketplaces',
    'sandbox',
    'attribution',
  ] as const) {
    const value = fields[name];
    if (value && Object.keys(value).length > 0) add('other', name, JSON.stringify(value));
  }
  return found;
}

/** Counts the hooks of a value of `hooks` that are used. */
function countOf(hooks: object, { source, file }: SettingsLayer): number {
  const { root } = readJson(JSON.stringify(hooks));
  const place = { source, file, lineOf: () => 1, problem: () => {} };
  return root === null ? 0 : readHooks(root, place).length;
}

/** The fields that change what the model is told. */
const PROMPT_FIELDS = [
  'overrideSystemPrompt',
  'coordinator',
  'agent',
  'systemPrompt',
  'appendSystemPrompt',
] as const;

/** Returns what a tool server runs or where it is, for people. */
export function serverText(server: unknown): string {
  if (typeof server !== 'object' || server === null) return 'a server';
  const { command, args, env, url, headers, headersHelper } = server as Readonly<
    Record<string, unknown>
  >;
  // The command goes first: a long address must not push it out of sight.
  if (typeof url === 'string') {
    const runs = typeof headersHelper === 'string' ? `runs ${headersHelper} · ` : '';
    return `${runs}${url}${variablesSent(headers)}`;
  }
  const words = [command, ...(Array.isArray(args) ? args : [])];
  // The names of its variables can say as much as its arguments; their values may be secret.
  const names = typeof env === 'object' && env !== null ? Object.keys(env) : [];
  const set = names.length === 0 ? '' : ` (sets ${names.join(', ')})`;
  return `${words.filter((word) => typeof word === 'string').join(' ') || 'a server'}${set}`;
}

/** Names the variables of this machine that headers carry to a server. */
function variablesSent(headers: unknown): string {
  const names = [...(JSON.stringify(headers) ?? '').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  return names.length === 0 ? '' : ` (is sent ${[...new Set(names)].join(', ')})`;
}

/** The length of a digest that tells two findings apart: 128 bits. Characters. */
const MARK_CHARS = 22;

/** Findings as they are shown, each with what stands for all of it. Their files count from the project. */
export const markFindings = (findings: readonly FullFinding[], project: string): TrustFinding[] =>
  findings.map(({ content, ...finding }) => {
    const { kind, what, file } = finding;
    const place = file.startsWith(project) ? file.slice(project.length) : file;
    return { ...finding, mark: digest(JSON.stringify([kind, what, content, place])) };
  });

/** Changes whenever any finding changes, its content included. Order does not matter. */
export const hashFindings = (findings: readonly TrustFinding[]): string =>
  createHash('sha256')
    .update(
      findings
        .map(({ mark }) => mark)
        .sort()
        .join('\n'),
    )
    .digest('hex');

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, MARK_CHARS);

/** Returns what every hook of an entry runs, with its arguments, whatever the shape of the entry. */
function hookCommands(entries: unknown): string[] {
  if (Array.isArray(entries)) return entries.flatMap(hookCommands);
  if (typeof entries !== 'object' || entries === null) return [];
  const fields: Readonly<Record<string, unknown>> = { ...entries };
  const { server, tool, input, args, allowedEnvVars, ...rest } = fields;
  if (typeof server === 'string' && typeof tool === 'string')
    return [[toolName(server, tool), ...(input ? [JSON.stringify(input)] : [])].join(' ')];
  const words = textsIn(args);
  const sent = textsIn(allowedEnvVars);
  const note = sent.length === 0 ? '' : ` (is sent ${sent.join(', ')})`;
  return Object.entries(rest).flatMap(([key, value]) => {
    if (/^(command|url|prompt)$/.test(key) && typeof value === 'string')
      return [[value, ...words].join(' ') + note];
    return hookCommands(value);
  });
}

const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];

/** Variables that decide where requests and keys go. docs/security.md 2. */
const sendsElsewhere = (name: string): boolean =>
  /^(ANTHROPIC_.*|.*_PROXY|.*_BASE_URL|CLAUDE_CODE_USE_.*|AWS_.*|NODE_EXTRA_CA_CERTS|NODE_TLS_.*)$/i.test(
    name,
  );

const masked = (name: string, value: string): string =>
  /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL|HEADER/i.test(name)
    ? `a value of ${value.length} characters`
    : value;

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 499)}…` : text);

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
  for (const [folder, kind] of FOLDERS) {
    const root = path.join(project, '.claude', folder);
    const below = await filesBelow(files, root, within, budget);
    for (const { file, real } of below.leads) {
      const detail = 'a link that leads out of the project';
      found.push({ kind, what: path.basename(file), detail, content: real, file });
    }
    const seen = await inBatches(below.files, (file) => lookAt(files, file));
    // One after another, so that the same definitions are parsed every time.
    for (const one of seen) {
      const { file, content } = one;
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
  /** Stands for all of it. */
  readonly content: string;
  /** The finding for it as a whole, whatever its parts are; null: its parts are looked at. */
  readonly whole: string | null;
  readonly front: string;
  /** The commands in its text. */
  readonly commands: readonly string[];
}

async function lookAt(files: Files, file: string): Promise<Seen> {
  const bytes = await files.read(file, MAX_SKILL_BYTES);
  const content = bytes.ok ? createHash('sha256').update(bytes.value).digest('hex') : 'unreadable';
  const seen = { file, content, whole: null, front: '', commands: [] };
  if (!file.endsWith('.md')) return { ...seen, whole: 'a file it can run' };
  if (!bytes.ok) {
    // Behind a link that leads nowhere is nothing to run.
    const isGone = bytes.error.code === 'not_found';
    return { ...seen, whole: isGone ? null : 'a text that cannot be looked at' };
  }
  const { text } = decodeText(bytes.value);
  const { front, body } = splitFront(text) ?? { front: '', body: text };
  return { ...seen, front, commands: inlineCommands(body).map(({ command }) => command) };
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
  const started = ['hooks', 'mcpServers'].flatMap((name) => hookCommands(fields.get(name)));
  return parts(active.length === 0 ? [] : [`sets ${active.join(', ')}`], [...started, ...commands]);
}
