import type { RuleSuggestion } from '../../../shared/permission';
import { relativeInside } from './paths';
import { escapeWildcard } from './patterns';
import type { DecisionContext, PermissionRequest, ShellCommand } from './request';
import type { Missing } from './shell-grants';
import type { ShellContext } from './shell-paths';

/** docs/permissions.md: at most this many rules for one line. */
const MAX_SUGGESTIONS = 5;
/** Nobody reads a longer rule, and nothing will ever match it again. UTF-16 units. */
const MAX_RULE_TEXT = 500;

/** Programs whose first words after the name say what they do: how many words make a useful prefix. */
const PREFIX_WORDS: Readonly<Record<string, number>> = {
  ...Object.fromEntries('npm:run pnpm:run yarn:run bun:run'.split(' ').map((key) => [key, 3])),
  ...Object.fromEntries(
    'npm pnpm yarn bun git cargo go make just task gradle ./gradlew mvn ./mvnw dotnet mix bundle:exec poetry:run uv:run npx docker kubectl gh terraform swift flutter composer deno'
      .split(' ')
      .map((key) => [key, key.includes(':') ? 3 : 2]),
  ),
  ...Object.fromEntries(
    'pytest tsc eslint vitest jest biome prettier ruff mypy black rubocop rspec phpunit golangci-lint tox nox ctest ninja'
      .split(' ')
      .map((key) => [key, 1]),
  ),
};

/** Second words that must stay exact: they publish, install, run anything, or lose work. */
const NEVER_PREFIX =
  /^(publish|exec|x|dlx|install|i|ci|add|link|push|reset|clean|checkout|restore|rebase|filter-branch|config|submodule|bisect|run|api|login|apply|destroy|delete|rm)$/;

/** Rules that would have let a shell line pass: the narrowest first, most useful within five. */
export function suggestForShell(
  shell: ShellContext,
  missing: readonly Missing[],
  onlyExact: boolean,
): RuleSuggestion[] {
  const line = shell.request.command.trim();
  const whole = exactRule(line);
  if (onlyExact) return whole;
  const commands = missing.filter((entry) => !entry.onlyWrites).map((entry) => entry.command);
  const writes = missing.some((entry) => entry.onlyWrites || writesFiles(entry.command));
  const single = missing.length === 1 && commands.length === 1;
  const each = commands.flatMap((command) => [
    ...(command.assignments.length === 0 ? exactRule(command.text) : []),
    ...(single && !writes ? prefixRule(command) : []),
  ]);
  const rules = single && !writes ? [...each, ...whole] : [...whole, ...each];
  return distinct(rules).slice(0, MAX_SUGGESTIONS);
}

const writesFiles = (command: ShellCommand): boolean =>
  command.writes.some((target) => target === null || !target.startsWith('/dev/'));

function exactRule(text: string): RuleSuggestion[] {
  if (text === '' || text.length > MAX_RULE_TEXT || /[\n\r]/.test(text)) return [];
  return [{ rule: `Bash(${escapeWildcard(text)})`, destination: 'localSettings' }];
}

/**
 * Returns `npm run test:*` for `npm run test -- -t x`; nothing for programs that run whatever they
 * are given.
 */
function prefixRule(command: ShellCommand): RuleSuggestion[] {
  const words = command.text.split(' ');
  const [name = '', second = ''] = words;
  const key = [`${name}:${second}`, name].find((candidate) =>
    Object.hasOwn(PREFIX_WORDS, candidate),
  );
  const count = key === undefined ? 0 : (PREFIX_WORDS[key] ?? 0);
  const plain = words.slice(0, count);
  const usable =
    count > 0 &&
    command.role === undefined &&
    command.assignments.length === 0 &&
    plain.length === count &&
    plain.every((word) => /^[\w./@:-]+$/.test(word)) &&
    plain.slice(1).every((word) => !word.startsWith('-')) &&
    (count === 3 || !NEVER_PREFIX.test(second));
  if (!usable) return [];
  return [{ rule: `Bash(${plain.join(' ')}:*)`, destination: 'localSettings' }];
}

/** Rules that would have let a file call pass, for this session: the file, then its folder. */
export function suggestForFile(
  request: Extract<PermissionRequest, { kind: 'file' }>,
  context: DecisionContext,
): RuleSuggestion[] {
  // One rule cannot speak for both ends of a link.
  if (request.path !== request.realPath) return [];
  const tool = request.access === 'edit' ? 'Edit' : 'Read';
  const file = patternFor(request.path, context);
  const folder = patternFor(request.path.slice(0, request.path.lastIndexOf('/')), context);
  const rules = [`${tool}(${file})`];
  if (folder !== '/' && folder !== '//' && folder !== '') rules.push(`${tool}(${folder}/**)`);
  return rules.map((rule) => ({ rule, destination: 'session' as const }));
}

/**
 * Writes a path as a rule: `/x` inside the project, `//x` elsewhere, pattern characters escaped.
 */
function patternFor(target: string, context: DecisionContext): string {
  const escaped = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ');
  const inside = relativeInside(context.project, target, context.caseInsensitive);
  return inside === null || inside === '' ? `/${escaped(target)}` : `/${escaped(inside)}`;
}

/** Returns a rule that would have let a call of another tool pass. */
export function suggestForTool(
  request: Extract<PermissionRequest, { kind: 'tool' }>,
): RuleSuggestion[] {
  const { tool, specifier, exactOnly } = request;
  // No rule without a specifier could allow it.
  if (specifier === undefined && exactOnly !== undefined) return [];
  const rule = specifier === undefined ? tool : `${tool}(${escapeWildcard(specifier)})`;
  return rule.length > MAX_RULE_TEXT ? [] : [{ rule, destination: 'localSettings' }];
}

const distinct = (rules: readonly RuleSuggestion[]): RuleSuggestion[] =>
  rules.filter((rule, i) => rules.findIndex((other) => other.rule === rule.rule) === i);
