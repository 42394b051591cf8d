import type { PermissionRule } from '../../../shared/permission';
import { parseWildcard, type Wildcard } from './patterns';
import { toolNamesMeant } from './server-names';
import { hiddenCharacter, visibleText } from './shell-analysis/parser';
import { specifiersMeant } from './specifiers-meant';

/**
 * A rule taken apart. `whole` covers every use of the tool. `strict` marks a deny or ask rule that could not
 * be read and therefore covers the whole tool.
 */
export interface ParsedRule {
  readonly rule: PermissionRule;
  readonly tool: string;
  /** The text in parentheses; null for a bare tool and for `Tool(*)`. */
  readonly specifier: string | null;
  readonly strict: boolean;
  /** The specifier as patterns of text; none for a bare tool and for rules about files. */
  readonly patterns: readonly Wildcard[];
  /** Paths that later `!` rules of the same list and file take out of it: those of `paths` from a place on. */
  readonly exceptions?: { readonly paths: readonly string[]; readonly from: number };
}

/** A problem of a rule, as text for the user. */
interface RuleProblem {
  readonly rule: PermissionRule;
  readonly message: string;
}

/** A rule that can be used, or why not. A faulty deny or ask rule gives both. */
export interface RuleReading {
  readonly parsed: ParsedRule | null;
  readonly problem: RuleProblem | null;
}

/** Tells whether a text is several rules: as one it would fit nothing. */
export const areSeveral = (text: string): boolean =>
  /\)[\s,;|&]+(?:(?:and|or)\s+)?(?:[A-Z]\w*|mcp__\w+)(?:\(|\s*$)/.test(text) ||
  (/[\s,;|&](?:[A-Z]\w*|mcp__\w+)\(/.test(text) && text.split('(').length > text.split(')').length);

/** Said of such a text. */
export const EACH_ALONE = 'each rule is expected in quotes of its own';

const TOOL_NAME = /^[A-Za-z_][\w.:@/-]*$/;
const MCP_PATTERN = /^mcp__[\w.:@/-]+\*?$/;

/** Reads one rule as docs/permissions.md writes them. Never throws. */
export function readRule(rule: PermissionRule): RuleReading {
  const text = rule.text.trim();
  const open = text.indexOf('(');
  const tool = presentName((open < 0 ? text : text.slice(0, open)).trim());
  const specifier = open < 0 ? null : text.slice(open + 1, -1).trim();
  const message = faultOf(text, tool, open, specifier, rule.behavior);
  if (message === null) {
    const isWhole = specifier === '*' || specifier === ':*';
    return {
      parsed: new ReadRule(rule, tool, isWhole ? null : specifier),
      problem: null,
    };
  }
  // A name that goes on in letters which only look like ours stands for no tool that can be known.
  const name = /^[A-Za-z_][\w-]*(?![\w-]|[^\0-\x7f])/.exec(visibleText(text))?.[0];
  const keep =
    rule.behavior !== 'allow' &&
    name !== undefined &&
    (isKnownTool(canonicalName(name)) || /^mcp__./.test(canonicalName(name)));
  return {
    parsed: keep
      ? { rule, tool: canonicalName(name), specifier: null, strict: true, patterns: [] }
      : null,
    problem: {
      rule,
      message: keep
        ? `${message}; until it is corrected it covers every use of ${canonicalName(name)}`
        : `${message}; it is not used`,
    },
  };
}

/** A rule that is as it should be. Its patterns are made when it is first held against something: of very many few are. */
class ReadRule implements ParsedRule {
  readonly strict = false;
  #patterns: readonly Wildcard[] | null = null;

  constructor(
    readonly rule: PermissionRule,
    readonly tool: string,
    readonly specifier: string | null,
  ) {}

  get patterns(): readonly Wildcard[] {
    const { rule, specifier, tool } = this;
    if (specifier === null || isFileTool(tool)) return [];
    this.#patterns ??=
      rule.behavior === 'allow' && isBlankBeforeEnd(specifier) ? [] : textPatterns(specifier);
    return this.#patterns;
  }
}

/** Tells whether a blank stands before the `:*` of a specifier. Denials forgive it; a permission given so covers nothing. */
export const isBlankBeforeEnd = (specifier: string): boolean => /\s:\*$/.test(specifier);

/**
 * Returns the patterns of a specifier: itself, or the forms with `*`. `git:*` = `git *` = `git` or
 * `git …`.
 */
function textPatterns(specifier: string): Wildcard[] {
  const prefix = /^(.*?)\s*:\*$/s.exec(specifier)?.[1];
  if (prefix !== undefined) return [parseWildcard(prefix), [...parseWildcard(prefix), ' ', null]];
  const pattern = parseWildcard(specifier);
  const lonely = pattern.filter((part) => part === null).length === 1;
  const trailing = lonely && pattern.at(-1) === null && pattern.at(-2) === ' ';
  return trailing ? [pattern, pattern.slice(0, -2)] : [pattern];
}

/**
 * Returns all rules that can be used, faulty deny and ask rules at their strictest, `!` rules as
 * exceptions of those before them.
 */
export function readRules(rules: readonly PermissionRule[]): ParsedRule[] {
  const read = rules
    .flatMap((rule) => readRule(rule).parsed ?? [])
    .flatMap(withSlashes)
    .flatMap(withToolNames)
    .flatMap(withSpecifiers);
  return read.some(isException) ? withExceptions(read) : read;
}

/** Tells whether a path is written as on Windows: a backslash stands before what needs none. */
export const hasBackslashes = (specifier: string): boolean => /\\[\w.]/.test(specifier);

/** Adds to a denial that is written as on Windows the same one as it is meant: in a pattern, `\` only takes the meaning from a mark. */
function withSlashes(one: ParsedRule): readonly ParsedRule[] {
  const { rule, tool, specifier } = one;
  const isMeant =
    rule.behavior !== 'allow' &&
    isFileTool(tool) &&
    specifier !== null &&
    hasBackslashes(specifier) &&
    !isException(one);
  return isMeant ? [one, new ReadRule(rule, tool, specifier.replaceAll('\\', '/'))] : [one];
}

/** Adds to a denial of tools of a server the same one for each other name that is meant by its name. */
function withToolNames(one: ParsedRule): readonly ParsedRule[] {
  const { rule, tool, specifier } = one;
  if (rule.behavior === 'allow' || !tool.startsWith('mcp__')) return [one];
  return [one, ...toolNamesMeant(tool).map((name) => new ReadRule(rule, name, specifier))];
}

/** Adds to a denial the same one for each other text that is meant by that in its parentheses. */
function withSpecifiers(one: ParsedRule): readonly ParsedRule[] {
  const { rule, tool, specifier } = one;
  if (rule.behavior === 'allow' || specifier === null) return [one];
  return [one, ...specifiersMeant(tool, specifier).map((text) => new ReadRule(rule, tool, text))];
}

const isException = ({ specifier, tool }: ParsedRule): boolean =>
  specifier?.startsWith('!') === true && isFileTool(tool);

/**
 * Attaches `!` rules to the rules they except. Such a rule reaches back to the rules that stand
 * before it in the same list of the same file, and of those only to patterns relative to the
 * working directory: nobody can take anything out of another's denials.
 */
function withExceptions(rules: readonly ParsedRule[]): ParsedRule[] {
  const byList = new Map<string, { readonly paths: string[]; passed: number }>();
  for (const one of rules.filter(isException)) {
    const list = byList.get(listOf(one)) ?? { paths: [], passed: 0 };
    list.paths.push(one.specifier?.slice(1) ?? '');
    byList.set(listOf(one), list);
  }
  return rules.flatMap((one) => {
    const list = byList.get(listOf(one));
    if (isException(one)) {
      if (list) list.passed += 1;
      return [];
    }
    if (one.specifier === null || /^[/~]/.test(one.specifier)) return [one];
    if (list === undefined || list.passed === list.paths.length) return [one];
    const { rule, tool, specifier, strict, patterns } = one;
    const exceptions = { paths: list.paths, from: list.passed };
    return [{ rule, tool, specifier, strict, patterns, exceptions }];
  });
}

/** Returns what the rules of one list of one file for one tool have in common. */
const listOf = ({ tool, rule: { behavior, source, file } }: ParsedRule): string =>
  `${tool} ${behavior} ${source} ${file}`;

function faultOf(
  text: string,
  tool: string,
  open: number,
  specifier: string | null,
  behavior: PermissionRule['behavior'],
): string | null {
  const quoted = `The rule “${shorten(text)}”`;
  if (text === '') return 'The rule is empty';
  if (text.length > MAX_RULE_LENGTH)
    return `${quoted} is longer than ${MAX_RULE_LENGTH} characters`;
  if (open >= 0 && !text.endsWith(')')) return `${quoted} has no closing parenthesis at its end`;
  if (specifier === '') return `${quoted} has nothing in its parentheses`;
  // What is allowed by it is at most too little, and a file may be called so.
  if (specifier !== null && behavior !== 'allow' && hasStrayParenthesis(specifier))
    return `${quoted} has a parenthesis too many; “\\” stands before one that belongs to a name`;
  const hidden = hiddenCharacter(text);
  if (hidden !== null) return `${quoted} contains a character that cannot be seen (${hidden})`;
  const wildcardName = behavior === 'allow' ? MCP_PATTERN : /^(?:[\w.:@/*-]+|mcp__.+)$/;
  if (!TOOL_NAME.test(tool) && !wildcardName.test(tool))
    return `${quoted} does not begin with a tool name`;
  const known = canonicalName(tool);
  if (known !== tool) return `${quoted} names ${tool}; the tool is called ${known}`;
  if (isFileTool(tool) && specifier !== null) return pathFault(quoted, tool, specifier, behavior);
  return null;
}

/** Tells whether a specifier begins or ends with a parenthesis that has no other: quoted and escaped ones are text. */
function hasStrayParenthesis(specifier: string): boolean {
  const bare = specifier.replace(/\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs, '_');
  return isStray(bare, '(', ')') || isStray([...bare].reverse().join(''), ')', '(');
}

/** Tells whether a text begins with a parenthesis that is never closed. */
function isStray(text: string, opening: string, closing: string): boolean {
  if (!text.startsWith(opening)) return false;
  let depth = 0;
  for (const sign of text) {
    if (sign === opening) depth += 1;
    if (sign === closing) depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

/** Longer rules are a mistake or an attack on matching. UTF-16 units. */
const MAX_RULE_LENGTH = 10_000;

/** Paths of these tools are allowed by Edit and Read rules alone. docs/permissions.md. */
const ALLOWED_BY: Readonly<Record<string, string>> = {
  Write: 'Edit',
  NotebookEdit: 'Edit',
  MultiEdit: 'Edit',
  Glob: 'Read',
};

function pathFault(
  quoted: string,
  tool: string,
  specifier: string,
  behavior: PermissionRule['behavior'],
): string | null {
  const instead = ALLOWED_BY[tool];
  if (behavior === 'allow' && instead !== undefined)
    return `${quoted} allows nothing: write ${instead}(${shorten(specifier)})`;
  if (behavior === 'allow' && specifier.startsWith('!'))
    return `${quoted} begins with “!”, which only takes something out of a deny or ask rule`;
  if (specifier.includes('\0')) return `${quoted} contains a NUL character`;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(specifier))
    return `${quoted} contains “..”; use //absolute/path or ~/path`;
  return null;
}

const READ_TOOLS = ['Read', 'Grep', 'Glob', 'LSP', 'NotebookRead', 'LS'];
const EDIT_TOOLS = ['Edit', 'Write', 'NotebookEdit', 'MultiEdit'];
const OTHER_TOOLS = ['Bash', 'WebFetch', 'WebSearch', 'Agent', 'Skill', 'Monitor', 'TodoWrite'];

/** Tells whether rules of this tool have a path pattern in parentheses. */
export const isFileTool = (tool: string): boolean =>
  READ_TOOLS.includes(tool) || EDIT_TOOLS.includes(tool);

/**
 * Tells whether a rule's tool name covers a tool: the same name; Read covers Grep, Glob, LSP; Edit
 * covers Write and NotebookEdit; Bash covers Monitor; `mcp__server` covers its tools; `*` stands
 * for any text (readRule keeps it out of allow rules but for `mcp__…`).
 */
export function coversTool(ruleTool: string, tool: string): boolean {
  if (ruleTool === tool) return true;
  if (ruleTool === 'Bash') return tool === 'Monitor';
  if (ruleTool === 'Read') return READ_TOOLS.includes(tool);
  if (ruleTool === 'Edit') return EDIT_TOOLS.includes(tool);
  if (ruleTool.includes('*')) {
    const [head = '', ...rest] = ruleTool.split('*');
    const tail = rest.at(-1) ?? '';
    return tool.startsWith(head) && tool.endsWith(tail) && tool.length >= head.length + tail.length;
  }
  return /^mcp__(?:(?!__).)+$/.test(ruleTool) && tool.startsWith(`${ruleTool}__`);
}

/** Tells whether a rule is about a tool; of a denial's names of servers and their tools the letter case does not count. */
export const coversToolOf = ({ rule, tool: name }: ParsedRule, tool: string): boolean =>
  coversTool(name, tool) ||
  (rule.behavior !== 'allow' &&
    /^mcp__|\*/.test(name) &&
    coversTool(name.toLowerCase(), tool.toLowerCase()));

/**
 * Tells whether a deny rule covers every use of a tool, so that the model need not be told of it.
 */
export const isToolDenied = (tool: string, rules: readonly ParsedRule[]): boolean =>
  rules.some(
    (one) => one.rule.behavior === 'deny' && one.specifier === null && coversToolOf(one, tool),
  );

/** Returns the name a tool really has, when only its letter case differs. */
export const canonicalName = (name: string): string =>
  CANONICAL.get(name.toLowerCase()) ?? name.replace(/^mcp__/i, 'mcp__');

/** Tools whose rules say nothing but their name, and those of other programs that share the settings. */
const NAMED_TOOLS =
  'AskUserQuestion EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree PowerShell TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop ToolSearch ListMcpResourcesTool ReadMcpResourceTool SendMessage SearchConversation BashOutput KillShell SlashCommand'.split(
    ' ',
  );

/** The names that a rule can begin with, besides those of servers' tools. */
export const KNOWN_TOOLS: readonly string[] = [
  ...READ_TOOLS,
  ...EDIT_TOOLS,
  ...OTHER_TOOLS,
  ...NAMED_TOOLS,
];

/** Tells whether there is a tool of that name, here or in a program that shares the settings. */
export const isKnownTool = (tool: string): boolean => CANONICAL.get(tool.toLowerCase()) === tool;

/** The name that the Agent tool has in older files and programs. */
export const OLD_AGENT = 'Task';

/** Returns the name that a tool has now. */
export const presentName = (tool: string): string => (tool === OLD_AGENT ? 'Agent' : tool);

/** The names of tools by their lower case. */
const CANONICAL: ReadonlyMap<string, string> = new Map([
  ...KNOWN_TOOLS.map((tool) => [tool.toLowerCase(), tool] as const),
  [OLD_AGENT.toLowerCase(), 'Agent'],
]);

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text);

/** Names a rule and its place for the user: `Bash(rm:*)` from .claude/settings.json line 4. */
export function nameRule(rule: PermissionRule): string {
  const line = rule.line === undefined ? '' : ` line ${rule.line}`;
  return `${rule.text} (${rule.file ? `${rule.file}${line}` : SOURCE_NAMES[rule.source]})`;
}

const SOURCE_NAMES = {
  managed: 'managed policy',
  commandLine: 'the command line',
  session: 'this session',
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: 'user settings',
} as const;
