import { z } from 'zod';
import { PermissionMode, type PermissionRule, type RuleSource } from '../../../shared/permission';
import { err, ok, type Result } from '../../../shared/result';

/** One question to `lathe permissions check`. */
export interface CheckQuestion {
  readonly id: string | number;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly rules: readonly PermissionRule[];
  /** The `source` of the answer: as written in the question. */
  readonly ruleSource: string;
  readonly mode: PermissionMode;
  readonly cwd?: string;
  readonly home?: string;
  readonly additionalDirectories: readonly string[];
  /** Fields that mean nothing here. */
  readonly unknown: readonly string[];
}

/** The reason a line could not be used, and which line or question it was. */
export interface CheckMistake {
  readonly id: string | number;
  readonly message: string;
}

/** The ways to name where rules come from: those of settings, of people, of Claude Code. */
const SOURCES: Readonly<Record<string, RuleSource>> = {
  managed: 'managed',
  policy: 'managed',
  policySettings: 'managed',
  commandLine: 'commandLine',
  cli: 'commandLine',
  cliArg: 'commandLine',
  flagSettings: 'commandLine',
  session: 'session',
  local: 'localSettings',
  localSettings: 'localSettings',
  project: 'projectSettings',
  projectSettings: 'projectSettings',
  user: 'userSettings',
  userSettings: 'userSettings',
};

const texts = z.array(z.string());
const Line = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  rules: z
    .strictObject({ allow: texts.nullish(), deny: texts.nullish(), ask: texts.nullish() })
    .nullish(),
  mode: z.enum([...PermissionMode.options, 'manual']).nullish(),
  cwd: z.string().min(1).nullish(),
  home: z.string().min(1).nullish(),
  additionalDirectories: texts.nullish(),
  ruleSource: z.enum(Object.keys(SOURCES) as [string, ...string[]]).nullish(),
});
const KNOWN = new Set(Object.keys(Line.shape));

/** Reads one line. Without an `id` the question goes by the number of its line. */
export function readCheckLine(line: string, number: number): Result<CheckQuestion, CheckMistake> {
  const value = parseJson(line);
  const given = idIn(value);
  const id = given ?? number;
  const wrong = (what: string) => err({ id, message: `line ${number}: ${what}` });
  if (!value.ok) return wrong(`this is not JSON (${value.error})`);
  const parsed = Line.safeParse(value.value);
  if (!parsed.success) return wrong(explain(parsed.error));
  const { tool, input, rules, mode, cwd, home, additionalDirectories } = parsed.data;
  const ruleSource = parsed.data.ruleSource ?? 'project';
  const source = SOURCES[ruleSource] ?? 'projectSettings';
  const make = (behavior: PermissionRule['behavior']): PermissionRule[] =>
    (rules?.[behavior] ?? []).map((text) => ({ behavior, text, source }));
  return ok({
    id,
    tool,
    input,
    ruleSource,
    rules: [...make('deny'), ...make('ask'), ...make('allow')],
    mode: mode === 'manual' ? 'default' : (mode ?? 'default'),
    additionalDirectories: additionalDirectories ?? [],
    unknown: Object.keys(parsed.data).filter((name) => !KNOWN.has(name)),
    ...(cwd == null ? {} : { cwd }),
    ...(home == null ? {} : { home }),
  });
}

function parseJson(line: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(line));
  } catch (thrown) {
    return err(thrown instanceof Error ? thrown.message.slice(0, MAX_DETAIL) : 'unreadable');
  }
}

/** Longer details of a JSON fault help nobody. UTF-16 units. */
const MAX_DETAIL = 120;

function idIn(value: Result<unknown, string>): string | number | null {
  if (!value.ok || typeof value.value !== 'object' || value.value === null) return null;
  const id = 'id' in value.value ? value.value.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  return field === '' ? (issue?.message ?? 'unusable') : `${field}: ${issue?.message}`;
}
