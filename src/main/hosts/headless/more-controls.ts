import { AgentColor } from '../../../shared/agent-color';
import { totalSpend } from '../../../shared/facts';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { ControlRequest } from './json-input';
import { planUsage } from './plan-lines';
import { modelUsage } from './result-line';

/** The longest title of a session. Characters. */
const MAX_TITLE_CHARS = 200;

/** The most that is given of what a task printed. Bytes. */
const MAX_TASK_OUTPUT_BYTES = 8 * 1024;

/** A request that reads of a session, or changes what is beside its queries; null for one that is something else. */
export async function carryOutMore(
  request: ControlRequest['request'],
  session: HeadlessSession,
  withdrawn: AbortSignal,
): Promise<Result<Json> | null> {
  switch (request.subtype) {
    case 'get_usage':
      return ok(usage(session));
    case 'get_task_output': {
      const id = request['task_id'];
      if (typeof id !== 'string') return wrong('task_id', 'the id of a task');
      const read = await session.taskOutput(id, MAX_TASK_OUTPUT_BYTES);
      return read.ok ? ok(endOfOutput(read.value)) : read;
    }
    case 'background_tasks': {
      const id = request['tool_use_id'] ?? null;
      if (id !== null && typeof id !== 'string') return wrong('tool_use_id', 'the id of a call');
      return ok({ backgrounded: session.background(id) });
    }
    case 'rename_session': {
      const title = request['title'];
      if (typeof title !== 'string' || title.trim() === '') return wrong('title', 'a text');
      session.rename(title.trim().slice(0, MAX_TITLE_CHARS));
      return ok({});
    }
    case 'set_color': {
      const color = AgentColor.safeParse(request['color']);
      if (!color.success && request['color'] !== 'default')
        return wrong('color', `one of ${AgentColor.options.join(', ')} or default`);
      session.setColor(color.data ?? null);
      return ok({});
    }
    case 'register_repo_root':
      return registerRoot(request, session);
    case 'generate_session_title': {
      const { description, persist } = request;
      if (typeof description !== 'string') return wrong('description', 'a text');
      const title = await session.suggestTitle(description);
      if (title !== null && persist === true) session.rename(title);
      return ok({ title });
    }
    case 'file_suggestions': {
      const { query } = request;
      if (typeof query !== 'string') return wrong('query', 'a text');
      const found = await session.findFiles(query, withdrawn);
      return found.ok ? ok({ suggestions: found.value.map(({ path }) => ({ path })) }) : found;
    }
    case 'set_prompt_suggestions_paused': {
      const { paused } = request;
      if (typeof paused !== 'boolean') return wrong('paused', 'true or false');
      return session.applySettings({ promptSuggestions: paused ? false : null });
    }
    case 'apply_flag_settings':
      return applyFlagSettings(request['settings'], session);
    default:
      return null;
  }
}

/** Adds a folder inside the run's own ones, and reads again what the program wants read. */
async function registerRoot(
  { directory, reload_claude_md, reload_skills, reload_plugins }: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json>> {
  if (typeof directory !== 'string' || directory === '')
    return wrong('directory', 'the path of a folder');
  const wishes = { memory: reload_claude_md === true, skills: reload_skills === true };
  const added = await session.addFolder(directory, wishes);
  if (added.ok && (reload_skills === true || reload_plugins === true)) await session.reload();
  return added;
}

/** Returns the end of an output as text; the rest of a character that was cut at its beginning is left out. */
function endOfOutput({
  end,
  totalBytes,
}: {
  readonly end: Uint8Array;
  readonly totalBytes: number;
}): Json {
  const isCut = totalBytes > end.length;
  const first = isCut ? end.findIndex((byte) => byte >> 6 !== CONTINUATION) : 0;
  const text = new TextDecoder().decode(end.subarray(Math.max(0, first)));
  return { output: text, total_bytes: totalBytes, truncated: isCut };
}

/** The first two bits of a byte of UTF-8 that does not begin a character. */
const CONTINUATION = 0b10;

/** Returns what this run has used, and of a plan, where answers tell of one: a key has none. */
function usage(session: HeadlessSession): Json {
  const spent = session.spent();
  const { apiMs, durationMs } = session.took();
  const limits = planUsage(session.planLimits());
  return {
    session: {
      total_cost_usd: totalSpend(spent).costUsd,
      total_api_duration_ms: apiMs,
      total_duration_ms: durationMs,
      // Lines are not counted here.
      total_lines_added: 0,
      total_lines_removed: 0,
      model_usage: modelUsage(spent),
    },
    subscription_type: null,
    rate_limits_available: limits !== null,
    rate_limits: limits,
    behaviors: null,
  };
}

/** Changes the settings of a run; one that cannot be changed in it changes none, and is named. */
async function applyFlagSettings(given: unknown, session: HeadlessSession): Promise<Result<Json>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return wrong('settings', 'an object');
  const settings = given as Readonly<Record<string, unknown>>;
  const foreign = Object.keys(settings).find(
    (name) => OF_THE_START.has(name) && settings[name] != null,
  );
  if (foreign !== undefined)
    return err(fault('not_in_a_run', `Lathe cannot change the setting "${foreign}" in a run.`));
  const mode = Object(settings['permissions'])['defaultMode'];
  if (mode === 'bypassPermissions') {
    const allowed = await session.configure({ mode });
    if (!allowed.ok) return allowed;
  }
  return session.applySettings(settings);
}

/** Settings that a session begins with, and keeps. */
const OF_THE_START: ReadonlySet<string> = new Set([
  'agent',
  'apiKeyHelper',
  'appendSystemPrompt',
  'coordinator',
  'overrideSystemPrompt',
  'systemPrompt',
]);

const wrong = (field: string, expected: string): Result<never> =>
  err(fault('bad_request', `"${field}" must be ${expected}.`));
