import type { z } from 'zod';
import { err, ok, type Result } from '../../../shared/result';
import type { ToolEnvironment } from './environment';
import type { AnyTool } from './tool';

/** The most issues named in one message: a model corrects the first few and learns the rest from the schema. */
const MAX_ISSUES = 8;

type Issue = z.core.$ZodIssue;

/** Checks a call's input against its tool's schema. The error tells the model which field, and what was expected. */
export function parseToolInput(
  tool: AnyTool,
  input: unknown,
): Result<Record<string, unknown>, string> {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues;
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => `- ${explain(issue, input)}`);
  const more = issues.length > MAX_ISSUES ? [`- … ${issues.length - MAX_ISSUES} more`] : [];
  return err([`${tool.name} was not run, its input is not valid:`, ...lines, ...more].join('\n'));
}

/** Checks an input that a hook of the user wrote: it may hold answers that only a user gives. */
export const parseHookInput = (
  tool: AnyTool,
  input: unknown,
): Result<Record<string, unknown>, string> => {
  const parsed = tool.hookInput?.safeParse(input);
  return parsed?.success ? ok(parsed.data) : parseToolInput(tool, input);
};

function explain(issue: Issue, input: unknown): string {
  const field = issue.path.length === 0 ? 'the input' : `\`${issue.path.join('.')}\``;
  if (issue.code === 'unrecognized_keys') {
    const where = issue.path.length === 0 ? '' : ` in ${field}`;
    return `unknown field${where}: ${issue.keys.map((key) => `\`${key}\``).join(', ')}`;
  }
  const given = valueAt(input, issue.path);
  if (issue.code === 'invalid_type') {
    if (given === undefined) return `${field} is missing (expected ${issue.expected})`;
    if (issue.expected === 'int') return `${field} must be a whole number, not ${given}`;
    return `${field} must be ${issue.expected}, not ${kindOf(given)}`;
  }
  if (issue.code === 'invalid_value') {
    return `${field} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (issue.code === 'too_small') {
    return outOfBounds(field, `at least ${issue.minimum}`, issue.origin, given);
  }
  if (issue.code === 'too_big') {
    return outOfBounds(field, `at most ${issue.maximum}`, issue.origin, given);
  }
  return `${field}: ${issue.message}`;
}

/** Says `must be at least 1, not 0`, or `must have at most 4 items, not 5`; an empty text is called that. */
function outOfBounds(field: string, bound: string, origin: string, given: unknown): string {
  if (given === '') return `${field} must not be empty`;
  if (typeof given === 'number') return `${field} must be ${bound}, not ${given}`;
  const length = typeof given === 'string' || Array.isArray(given) ? `, not ${given.length}` : '';
  const unit = origin === 'array' ? 'item' : 'character';
  return `${field} must have ${bound} ${unit}${bound.endsWith(' 1') ? '' : 's'}${length}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Returns a call's input as people, reports and hooks see it (docs/spec.md B8). Always a copy: the input that runs,
 * and the one in the history, stay as they are. A tool that fails to complete its input is shown without that.
 */
export function observableInput(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  env: ToolEnvironment,
): Record<string, unknown> {
  try {
    return tool.backfillObservableInput?.(structuredClone(input), env) ?? structuredClone(input);
  } catch {
    return structuredClone(input);
  }
}
