import type { Files } from '../ports';
import type { PermissionRequest } from './request';
import { fileRequest, shellRequest } from './requests-for';
import type { Whereabouts } from './rule-match';
import type { ShellParser } from './shell-analysis/parser';
import { webRequest } from './web-request';

/** What looking up the facts of a call needs. */
export interface CallFacts {
  readonly parser: ShellParser;
  readonly files: Files;
}

/** Tools that run their `command` in the shell. Rules for Bash cover them all. */
const SHELL_TOOLS = new Set(['Bash', 'Monitor']);

/** Tools that use one file or folder: how, and the input field that names it. */
const FILE_TOOLS: Readonly<Record<string, { access: 'read' | 'edit'; field: string }>> = {
  Read: { access: 'read', field: 'file_path' },
  LSP: { access: 'read', field: 'file_path' },
  Grep: { access: 'read', field: 'path' },
  Glob: { access: 'read', field: 'path' },
  Edit: { access: 'edit', field: 'file_path' },
  MultiEdit: { access: 'edit', field: 'file_path' },
  Write: { access: 'edit', field: 'file_path' },
  NotebookEdit: { access: 'edit', field: 'notebook_path' },
};

/** Tools that change nothing outside Lathe. */
const OWN_TOOLS = new Set(
  'TodoWrite TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop ToolSearch ListMcpResourcesTool ReadMcpResourceTool AskUserQuestion EnterPlanMode'.split(
    ' ',
  ),
);

/**
 * The permission that a call of any tool needs, known to this build or not, from its raw input. Gives what is
 * wrong with the input as a text when no call could be made of it.
 */
export async function requestForCall(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  where: Whereabouts,
  { parser, files }: CallFacts,
): Promise<PermissionRequest | string> {
  const params = paramsOf(input);
  if (SHELL_TOOLS.has(tool)) {
    const { command } = input;
    if (typeof command !== 'string') return `${tool} needs a text in input.command`;
    return { ...(await shellRequest(tool, command, where, parser, files)), params };
  }
  const use = Object.hasOwn(FILE_TOOLS, tool) ? FILE_TOOLS[tool] : undefined;
  if (use) {
    const asked = pathIn(tool, input, use.field);
    if (asked === null) return `${tool} needs a text in input.${use.field}`;
    return { ...(await fileRequest(tool, use.access, asked, where, files)), params };
  }
  const url = tool === 'WebFetch' ? webAddress(input['url']) : null;
  if (url !== null) return { ...webRequest(tool, url), params };
  const specifier = specifierOf(tool, input);
  return {
    kind: 'tool',
    tool,
    readOnly: OWN_TOOLS.has(tool) || tool === 'WebSearch',
    ...(tool === 'WebSearch' ? { sends: true } : {}),
    params,
    ...(specifier === null ? {} : { specifier }),
  };
}

function pathIn(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  field: string,
): string | null {
  const asked = input[field] ?? input['file_path'] ?? input['path'];
  const searches = /^(Grep|Glob)$/.test(tool);
  if (typeof asked !== 'string' && (asked !== undefined || !searches)) return null;
  const start = typeof asked === 'string' ? asked : '.';
  const { pattern } = input;
  // A glob may begin somewhere else: the folders before its first wildcard.
  const fixed = tool === 'Glob' && typeof pattern === 'string' ? fixedFolders(pattern) : '';
  if (fixed === '') return start;
  return /^[/~\\]/.test(fixed) ? fixed : `${start}/${fixed}`;
}

function fixedFolders(pattern: string): string {
  const wild = pattern.search(/[*?[{\\]/);
  if (wild < 0) return pattern;
  const cut = pattern.lastIndexOf('/', wild);
  return cut === 0 ? '/' : pattern.slice(0, Math.max(cut, 0));
}

/** What rules for this tool have in their parentheses. */
function specifierOf(tool: string, input: Readonly<Record<string, unknown>>): string | null {
  const text = (name: string) => (typeof input[name] === 'string' ? input[name] : null);
  switch (tool) {
    case 'WebSearch':
      return text('query');
    case 'Agent':
      return text('subagent_type');
    case 'Skill':
      return [text('skill') ?? text('name') ?? text('command'), text('args')]
        .filter((part) => part !== null && part !== '')
        .join(' ');
    case 'PowerShell':
      return text('command');
    default:
      return null;
  }
}

function webAddress(url: unknown): URL | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return /^https?:$/.test(parsed.protocol) && parsed.hostname !== '' ? parsed : null;
}

/** Plain input fields as text, for rules of the form `Tool(param:value)`. */
const paramsOf = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      /^(string|number|boolean)$/.test(typeof value) ? [[name, String(value)]] : [],
    ),
  );
