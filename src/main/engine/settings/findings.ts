import { createHash } from 'node:crypto';
import type { TrustFinding } from '../../../shared/settings';
import { plainValue, propertiesOf, readJson } from './json-tree';
import type { SettingsLayer } from './read';

/** A finding and everything it stands for; `content` goes into the hash only, for it may be long or secret. */
export interface FullFinding extends Omit<TrustFinding, 'mark' | 'isNew'> {
  readonly content: string;
}

/** What trusting the folder would turn on in one of its settings files. Pure. */
export function findingsIn(layer: SettingsLayer): FullFinding[] {
  const { fields, permissions, file } = layer;
  const found: FullFinding[] = [];
  const add = (kind: TrustFinding['kind'], what: string, detail: string, content = detail) =>
    found.push({ kind, what, detail: shorten(detail), content, file });

  for (const [event, entries] of Object.entries(fields.hooks ?? {}))
    add('hooks', event, hookCommands(entries).join('; ') || 'a hook', JSON.stringify(entries));
  if (fields.disableAllHooks)
    add('hooks', 'disableAllHooks', 'switches every hook off, your own too');
  if (fields.apiKeyHelper) add('helper', 'apiKeyHelper', fields.apiKeyHelper);
  if (fields.statusLine) add('helper', 'statusLine', fields.statusLine.command);
  for (const [name, value] of Object.entries(layer.env))
    add(sendsElsewhere(name) ? 'baseUrl' : 'env', name, masked(name, value), value);
  for (const rule of layer.rules) if (rule.behavior === 'allow') add('allow', 'allow', rule.text);
  for (const folder of layer.additionalDirectories) add('other', 'additionalDirectories', folder);
  if (permissions.defaultMode === 'acceptEdits') add('other', 'defaultMode', 'acceptEdits');
  if (fields.enableAllProjectMcpServers) add('mcp', 'enableAllProjectMcpServers', 'all servers');
  for (const name of ['enabledPlugins', 'extraKnownMarketplaces', 'sandbox'] as const) {
    const value = fields[name];
    if (value && Object.keys(value).length > 0) add('other', name, JSON.stringify(value));
  }
  return found;
}

/** The servers that a folder's `.mcp.json` would start. Pure; what cannot be read is no server. */
export function mcpFindings(text: string, file: string): FullFinding[] {
  const servers = propertiesOf(readJson(text.replace(/^\uFEFF/, '')).root).findLast(
    (property) => property.name === 'mcpServers',
  );
  return propertiesOf(servers?.value).map(({ name, value }) => {
    const server = plainValue(value);
    const content = JSON.stringify(server);
    return { kind: 'mcp', what: name, detail: shorten(serverDetail(server)), content, file };
  });
}

function serverDetail(server: unknown): string {
  if (typeof server !== 'object' || server === null) return 'a server';
  const { command, args, url } = server as Readonly<Record<string, unknown>>;
  if (typeof url === 'string') return url;
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return words.filter((word) => typeof word === 'string').join(' ') || 'a server';
}

/** How much of a digest tells two findings apart: 128 bits. Characters. */
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

/** Every command text in a hook entry, whatever its shape. */
function hookCommands(entries: unknown): string[] {
  if (Array.isArray(entries)) return entries.flatMap(hookCommands);
  if (typeof entries !== 'object' || entries === null) return [];
  return Object.entries(entries).flatMap(([key, value]) => {
    if (/^(command|url|prompt)$/.test(key) && typeof value === 'string') return [value];
    return hookCommands(value);
  });
}

/** Variables that decide where requests and keys go. THREATS 2. */
const sendsElsewhere = (name: string): boolean =>
  /^(ANTHROPIC_.*|.*_PROXY|.*_BASE_URL|CLAUDE_CODE_USE_.*|AWS_.*|NODE_EXTRA_CA_CERTS|NODE_TLS_.*)$/i.test(
    name,
  );

const masked = (name: string, value: string): string =>
  /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL|HEADER/i.test(name)
    ? `a value of ${value.length} characters`
    : value;

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 499)}…` : text);
