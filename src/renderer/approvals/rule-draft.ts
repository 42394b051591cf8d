import type { RuleSuggestion } from '../../shared/permission';

/** A scope a rule can be saved in. */
export interface ScopeChoice {
  readonly destination: RuleSuggestion['destination'];
  readonly label: string;
  readonly detail: string;
}

const SCOPES: readonly ScopeChoice[] = [
  { destination: 'session', label: 'This session', detail: 'forgotten when it ends' },
  {
    destination: 'localSettings',
    label: 'This project, only me',
    detail: '.claude/settings.local.json',
  },
  {
    destination: 'projectSettings',
    label: 'This project, everyone',
    detail: '.claude/settings.json',
  },
  { destination: 'userSettings', label: 'All my projects', detail: '~/.claude/settings.json' },
];

/**
 * Returns the scopes to offer: session, project (this user's file) and user. The shared project file only
 * when the suggestion itself names it.
 */
export const scopesFor = (suggested: RuleSuggestion['destination']): readonly ScopeChoice[] =>
  SCOPES.filter(
    (scope) => scope.destination !== 'projectSettings' || suggested === 'projectSettings',
  );

/** Describes the problem with a rule as typed, or returns null. Rules are `Tool` or `Tool(specifier)`. */
export function ruleProblem(rule: string): string | null {
  const text = rule.trim();
  if (text === '') return 'A rule needs at least a tool name, such as Bash(npm test).';
  if (/[\n\r]/.test(text)) return 'A rule is one line.';
  const match = /^(?<tool>[A-Za-z_][\w*-]*)(?:\((?<specifier>[\s\S]*)\))?$/.exec(text);
  if (!match) return 'Write it as Tool or Tool(what), such as Bash(npm test).';
  if (match.groups?.['specifier']?.trim() === '')
    return 'The brackets are empty. Say what is allowed, or leave them out.';
  return null;
}

/** Returns a warning about a rule that allows far more than one act, or null. */
export function ruleBreadth(rule: string): string | null {
  const text = rule.trim();
  const bare = /^(?<tool>[A-Za-z_]\w*)(?:\(\s*(?:\*|:\*|\*\*|\/\*\*|\/\/\*\*)\s*\))?$/.exec(text);
  const tool = bare?.groups?.['tool'];
  if (tool === undefined) return null;
  if (tool === 'Bash') return 'This allows every command without asking.';
  if (tool === 'Edit' || tool === 'Write')
    return 'This allows changes to every file without asking.';
  return `This allows every use of ${tool} without asking.`;
}
