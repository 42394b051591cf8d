import type { HookEvent, HookSetting } from '../../../shared/hooks';
import type { Result } from '../../../shared/result';
import type { HookEnd } from './reply';

/** Calls a tool of a tool server; the answer is its text, the error is for a user. */
export type CallServerTool = (
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<Result<string, string>>;

/**
 * Calls a tool of a server instead of running a command: its text counts as the output of one. `${tool_input.file_path}` in a
 * text of its input stands for what the event has there. Never rejects.
 */
export async function runToolHook(
  { call, event, onFailure }: Pick<HookSetting, 'call' | 'event' | 'onFailure'>,
  input: string,
  callTool: CallServerTool,
  signal: AbortSignal,
): Promise<HookEnd> {
  if (call === undefined) return { kind: 'failed', message: 'it names no tool' };
  const filled = Object.entries(call.input).map(([name, value]) => [
    name,
    filledIn(value, JSON.parse(input)),
  ]);
  const answer = await callTool(call.server, call.tool, Object.fromEntries(filled), signal);
  if (signal.aborted) return { kind: 'cancelled', message: 'ended before it was done' };
  if (!answer.ok) return { kind: 'failed', message: answer.error };
  const text = answer.value.trim();
  if (onFailure === 'block' && !TAKES_WORDS.has(event) && text !== '' && !text.startsWith('{'))
    return { kind: 'failed', message: 'the tool answered something else than JSON' };
  return { kind: 'exited', exitCode: 0, stdout: text, stderr: '' };
}

/** The events at which plain words are an answer. */
const TAKES_WORDS: ReadonlySet<HookEvent> = new Set<HookEvent>(['PreCompact', 'WorktreeCreate']);

/** Returns a value with the places of the event that its texts name. */
function filledIn(value: unknown, event: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{([^{}]+)\}/g, (_, path: string) => wordsAt(event, path.trim()));
  if (Array.isArray(value)) return value.map((each) => filledIn(each, event));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, filledIn(each, event)]),
  );
}

/** Returns what stands at a path such as `tool_input.file_path` as text; '' where nothing does. */
function wordsAt(event: unknown, path: string): string {
  let at = event;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return '';
    at = Reflect.get(at, name);
  }
  if (at === undefined || at === null) return '';
  return typeof at === 'string' ? at : JSON.stringify(at);
}
