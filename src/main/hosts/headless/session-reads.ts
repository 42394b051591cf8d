import type { PermissionRule } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import { hooksListing } from './hooks-listing';
import type { ControlRequest } from './json-input';
import { SOURCE_NAMES } from './session-facts';

/** The most of earlier side questions that goes along with one. */
const MAX_ASIDES = 20;

/** A request that only reads a session, or asks beside it; null for one that is something else. */
export async function carryOutReads(
  request: ControlRequest['request'],
  session: HeadlessSession,
  withdrawn: AbortSignal,
): Promise<Result<Json> | null> {
  switch (request.subtype) {
    case 'get_hooks_listing':
      return ok(hooksListing(session));
    case 'get_settings': {
      const sources = session.givenSettings().map(({ source, settings }) => ({
        source: SOURCE_NAMES[source],
        settings: withoutValues(settings),
      }));
      const effective = sources.reduce<unknown>((all, { settings }) => joined(all, settings), {});
      const applied = { model: session.model(), effort: session.effort() };
      return ok({ effective, sources, applied });
    }
    case 'list_permission_rules': {
      const { rules, managedOnly, folders } = session.permissionRules();
      return ok({
        state: {
          rules: rules.map((rule) => ruleEntry(rule, managedOnly)),
          workspaceDirectories: folders.map((path) => ({ path, source: 'session' })),
          originalCwd: session.cwd,
          managedOnly,
          ...errorsOf(session),
        },
      });
    }
    case 'get_session_cost':
      return ok({ text: costText(session) });
    case 'get_plan': {
      const plan = session
        .conversation()
        .flatMap((item) => (item.kind === 'call' && item.view?.kind === 'plan' ? item.view : []))
        .at(-1)?.plan;
      // A plan is part of the conversation here, and no file.
      return ok(plan === undefined ? { exists: false } : { exists: true, content: plan });
    }
    case 'side_question': {
      const { question, history = [] } = request;
      if (typeof question !== 'string' || question.trim() === '')
        return err(fault('bad_request', '"question" must be a text.'));
      const before = Array.isArray(history) ? history.slice(-MAX_ASIDES).flatMap(exchange) : [];
      const text = [...before, `Question: ${question}`].join('\n\n');
      const response = await session.askAside(text, withdrawn);
      return ok({ response, synthetic: false });
    }
    default:
      return null;
  }
}

/** Requests of SDKs and of Claude Code that Lathe has nothing for, and why. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  channel_enable: 'there are no channels',
  claim_session: 'no run waits for a folder to be named',
  claude_authenticate: 'a key is set by ANTHROPIC_API_KEY or entered in the app',
  claude_oauth_callback: 'a key is set by ANTHROPIC_API_KEY or entered in the app',
  claude_oauth_wait_for_completion: 'a key is set by ANTHROPIC_API_KEY or entered in the app',
  get_chrome_browsers: 'there is no Chrome',
  get_chrome_dialog: 'there is no Chrome',
  get_memory_dialog: 'memory is shown in the window alone',
  get_sandbox_dialog: 'the sandbox is shown in the window alone',
  get_skills_dialog: 'skills are listed by reload_skills',
  mcp_oauth_callback_url: 'the browser comes back to Lathe by itself',
  message_rated: 'nothing is sent to anybody',
  remote_control: 'there is no cloud',
  select_chrome_browser: 'there is no Chrome',
  set_chrome_browser_hints: 'there is no Chrome',
  set_cwd: 'a session stays in its folder',
  set_proactive: 'nothing is done unasked',
  submit_feedback: 'nothing is sent to anybody',
  submit_survey_feedback: 'nothing is sent to anybody',
  ultrareview_launch: 'there is no cloud',
};

const OF_A_FILE: ReadonlySet<string> = new Set([
  'localSettings',
  'projectSettings',
  'userSettings',
]);

function ruleEntry({ behavior, text, source, file }: PermissionRule, managedOnly: boolean): Json {
  const isSaved = OF_A_FILE.has(source);
  const isFlag = source === 'commandLine' && file === undefined;
  const isIdle = managedOnly && isSaved;
  const ofRun = source === 'session' ? 'session' : isFlag ? 'cliArg' : SOURCE_NAMES[source];
  const editability =
    isSaved && !isIdle ? 'persistent' : isFlag || source === 'session' ? 'session' : 'readonly';
  return {
    ...{ behavior, source: ofRun, rule: text, editability },
    ...(isIdle ? { notInEffect: true } : {}),
  };
}

function errorsOf({ problems }: HeadlessSession): Json {
  const errors = problems.flatMap(({ file, field, message, level }) =>
    level === 'error' ? [{ file, path: field ?? '', message }] : [],
  );
  return errors.length === 0 ? {} : { errors };
}

/** Fields of settings whose values are often keys. */
const SECRETIVE: ReadonlySet<string> = new Set(['env', 'headers']);

/** Returns settings with the names of variables and headers, and without their values. */
function withoutValues(settings: unknown): unknown {
  if (Array.isArray(settings)) return settings.map(withoutValues);
  if (!isObject(settings)) return settings;
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) =>
      SECRETIVE.has(name) && isObject(value)
        ? [name, Object.fromEntries(Object.keys(value).map((key) => [key, HIDDEN]))]
        : [name, withoutValues(value)],
    ),
  );
}

const HIDDEN = '[hidden]';

/** Joins settings of a stronger source with those below: objects by field, lists one behind the other. */
function joined(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) return [...new Set([...below, ...above])];
  if (!isObject(below) || !isObject(above)) return above;
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    names.map((name) => [name, name in above ? joined(below[name], above[name]) : below[name]]),
  );
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function costText(session: HeadlessSession): string {
  const { apiMs, durationMs } = session.took();
  const models = Object.entries(session.spent());
  const total = models.reduce((sum, [, { costUsd }]) => sum + costUsd, 0);
  return [
    `Total cost: $${total.toFixed(4)}`,
    `Total duration: ${(durationMs / 1000).toFixed(1)} s, of it ${(apiMs / 1000).toFixed(1)} s for the model`,
    ...models.map(
      ([model, { costUsd, usage }]) =>
        `${model}: ${usage.inputTokens} input, ${usage.outputTokens} output, ${usage.cacheReadTokens} cache read, ${usage.cacheWriteTokens} cache write ($${costUsd.toFixed(4)})`,
    ),
  ].join('\n');
}

/** Returns an earlier side question and its answer as words; nothing for what is none. */
function exchange(value: unknown): string[] {
  const { question, response } = Object(value);
  return typeof question === 'string' && typeof response === 'string'
    ? [`Asked before: ${question}\nAnswered: ${response}`]
    : [];
}
