import { createHash } from 'node:crypto';
import type { TrustFinding } from '../../../shared/settings';
import { toolName } from '../permissions/server-names';
import { readHooks } from './hook-settings';
import { readJson } from './json-text';
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
  const [first = 'a server', ...rest] = serverParts(server);
  return rest.length === 0 ? first : `runs ${first} · ${rest.join(' · ')}`;
}

/** Returns what each server in a value runs, and where it is, whatever the shape of the value. */
export function serversIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(serversIn);
  if (typeof value !== 'object' || value === null) return [];
  return 'command' in value || 'url' in value
    ? serverParts(value)
    : Object.values(value).flatMap(serversIn);
}

/** Returns the command that makes headers for a server, if there is one, and what the server runs or where it is. */
function serverParts(server: unknown): readonly string[] {
  if (typeof server !== 'object' || server === null) return ['a server'];
  const { command, args, env, url, headers, headersHelper } = server as Readonly<
    Record<string, unknown>
  >;
  // The command goes first: a long address must not push it out of sight.
  if (typeof url === 'string') {
    const runs = typeof headersHelper === 'string' ? [headersHelper] : [];
    return [...runs, `${url}${variablesSent(headers)}`];
  }
  const words = [command, ...(Array.isArray(args) ? args : [])];
  // The names of its variables can say as much as its arguments; their values may be secret.
  const names = typeof env === 'object' && env !== null ? Object.keys(env) : [];
  const set = names.length === 0 ? '' : ` (sets ${names.join(', ')})`;
  return [`${words.filter((word) => typeof word === 'string').join(' ') || 'a server'}${set}`];
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
export function hookCommands(entries: unknown): string[] {
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

/** Shortens a text to what a dialog shows of it. */
export const shorten = (text: string): string =>
  text.length > 500 ? `${text.slice(0, 499)}…` : text;
