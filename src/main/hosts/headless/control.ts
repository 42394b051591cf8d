import { z } from 'zod';
import { PermissionMode } from '../../../shared/permission';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { ModelChoice } from '../../../shared/settings';
import { type HeadlessSession, NAMED_LATER } from '../../app/headless-session';
import { readServers } from '../../engine/settings/mcp-servers';
import { thinkingUpTo } from '../../engine/settings/schema';
import { toolPolicies } from '../../engine/settings/tool-policies';
import type { Json } from './api-shape';
import { carryOutFiles } from './file-controls';
import type { ControlRequest, WaitingPrompts } from './json-input';
import { carryOutMore } from './more-controls';
import { carryOutServers } from './server-controls';
import { contextUsage, PROTOCOL_VERSION, serverStatus } from './session-facts';
import { carryOutReads, NOT_HERE } from './session-reads';
import { carryOutReports } from './session-report';

/** Does what a control request asks for, until it is withdrawn. */
export type CarryOut = (
  request: ControlRequest['request'],
  withdrawn?: AbortSignal,
) => Promise<Result<Json>>;

/** Returns the line that answers a control request. */
export const answerTo = (id: string, done: Result<Json>): Json =>
  done.ok
    ? {
        type: 'control_response',
        response: { subtype: 'success', request_id: id, response: done.value },
      }
    : refusal(id, done.error);

/** Returns the line that refuses a control request. */
export const refusal = (id: string, { code, message }: Fault): Json => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: id, error: message, error_code: code },
});

/**
 * Creates what carries out the requests of one session; `receive` takes messages of servers inside the program, `waiting`
 * are the prompts whose turn has not come. `stopsTasks`: the program can stop single tasks itself.
 */
export function createControls(
  session: HeadlessSession,
  latheVersion: string,
  receive: (server: string, message: unknown) => void,
  waiting: Pick<WaitingPrompts, 'ids' | 'cancel'>,
  stopsTasks = false,
): CarryOut {
  return async (request, withdrawn = new AbortController().signal) => {
    switch (request.subtype) {
      case 'initialize':
        await session.insideReady();
        return ok(initialized(session, latheVersion, await session.outputStyles()));
      case 'interrupt':
        return interrupt(request, session, waiting, stopsTasks);
      case 'cancel_async_message': {
        const id = request['message_uuid'];
        if (typeof id !== 'string') return wrong('message_uuid', 'the id of a prompt');
        return ok({ cancelled: waiting.cancel(id) });
      }
      case 'get_binary_version':
        return ok({ version: PROTOCOL_VERSION, lathe_version: latheVersion });
      case 'list_models':
        return ok({ models: session.models.map(modelInfo) });
      case 'set_has_subscribers':
        // Every line is printed at once, whoever reads it.
        return ok({});
      case 'set_model': {
        const model = request['model'] ?? 'default';
        if (typeof model !== 'string') return wrong('model', 'the name of a model');
        const done = await session.configure({ model });
        return done.ok ? ok({ model: session.model() }) : done;
      }
      case 'set_permission_mode': {
        const named = request['mode'] === 'manual' ? 'default' : request['mode'];
        const mode = PermissionMode.safeParse(named);
        if (!mode.success) return wrong('mode', `one of ${PermissionMode.options.join(', ')}`);
        const done = await session.configure({ mode: mode.data });
        return done.ok ? ok({ mode: session.mode() }) : done;
      }
      case 'set_max_thinking_tokens':
        return setThinking(request, session);
      case 'mcp_status':
        return ok({ mcpServers: session.toolServers().map(serverStatus) });
      case 'mcp_message': {
        const server = request['server_name'];
        if (typeof server !== 'string') return wrong('server_name', 'the name of a server');
        receive(server, request['message']);
        return ok({});
      }
      case 'mcp_set_servers':
        return setServers(request['servers'], session);
      case 'get_context_usage':
        return ok(contextUsage(session));
      case 'stop_task': {
        const id = request['task_id'];
        return typeof id === 'string' ? session.stopTask(id) : wrong('task_id', 'the id of a task');
      }
      case 'rewind_files': {
        const id = request['user_message_id'];
        if (typeof id !== 'string') return wrong('user_message_id', 'the id of a prompt');
        return ok(await rewindFiles(session, id, request['dry_run'] === true));
      }
      default:
        return (
          (await carryOutMore(request, session, withdrawn)) ??
          (await carryOutServers(request, session, withdrawn)) ??
          (await carryOutFiles(request, session)) ??
          (await carryOutReads(request, session, withdrawn)) ??
          carryOutReports(request, session, latheVersion) ??
          err(unknownRequest(request.subtype))
        );
    }
  };
}

/** Stops the running query, and sub-agents behind it where nobody could stop one of them by itself. */
function interrupt(
  request: ControlRequest['request'],
  session: HeadlessSession,
  waiting: Pick<WaitingPrompts, 'ids' | 'cancel'>,
  stopsTasks: boolean,
): Result<Json> {
  session.interrupt('stopped');
  if (!stopsTasks) session.stopAgents();
  if (request['cancel_queued'] !== true) return ok({ still_queued: waiting.ids() });
  const cancelled = waiting.ids().filter(waiting.cancel);
  return ok({ still_queued: waiting.ids(), cancelled });
}

function unknownRequest(subtype: string): Fault {
  if (subtype === '') return fault('bad_request', 'The request does not say what it asks for.');
  const why = Object.hasOwn(NOT_HERE, subtype) ? NOT_HERE[subtype] : undefined;
  return why === undefined
    ? fault('unknown_request', `Lathe does not know the control request "${subtype}".`)
    : fault('unsupported', `Lathe does not carry out "${subtype}": ${why}.`);
}

const wrong = (field: string, expected: string): Result<never> =>
  err(fault('bad_request', `"${field}" must be ${expected}.`));

/** Returns what a driver is told at the beginning. */
const initialized = (
  session: HeadlessSession,
  latheVersion: string,
  styles: readonly string[],
): Json => ({
  commands: session.commands(),
  agents: session.agents(),
  output_style: session.outputStyle,
  available_output_styles: [...new Set(['default', session.outputStyle, ...styles])],
  models: session.models.map(modelInfo),
  account: accountOf(session.apiKeySource),
  claude_code_version: PROTOCOL_VERSION,
  lathe_version: latheVersion,
  current_permission_mode: session.mode(),
  pid: process.pid,
  hooks_applied: true,
  hook_on_failure_supported: true,
  mcp_servers_applied: true,
  plugins_applied: true,
  settings_applied: true,
  managed_settings_applied: true,
  disallowed_tools_applied: true,
});

const accountOf = (source: string): Json => ({
  tokenSource: source === 'ANTHROPIC_AUTH_TOKEN' ? source : 'none',
  apiKeySource: source,
  apiProvider: 'firstParty',
});

const modelInfo = ({ id, asked, name, alias, efforts, thinking }: ModelChoice): Json => ({
  value: alias ?? id,
  resolvedModel: asked ?? id,
  displayName: name,
  description: id,
  supportsEffort: efforts.length > 0,
  supportedEffortLevels: efforts,
  ...(thinking === undefined ? {} : { supportsAdaptiveThinking: thinking.adaptive }),
});

async function setThinking(
  request: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json>> {
  const tokens = z.int().min(0).nullish().safeParse(request['max_thinking_tokens']);
  if (!tokens.success) return wrong('max_thinking_tokens', 'a whole number, or null');
  const { data } = tokens;
  const display = Display.safeParse(request['thinking_display']);
  const { data: shown } = display;
  const done = await session.configure({
    // Left out, the number of before holds on.
    ...(data === undefined ? {} : { thinking: data === null ? null : thinkingUpTo(data) }),
    // The API gives highlights only to sessions of its own, and others are to be sent no thinking in their place.
    ...(shown === undefined ? {} : { thinkingDisplay: shown === 'highlights' ? 'omitted' : shown }),
  });
  // The number holds all the same.
  const known = 'summarized, omitted, highlights or null';
  return display.success ? done : wrong('thinking_display', known);
}

const Display = z.enum(['summarized', 'omitted', 'highlights']).nullish();

/** Gives files the state they had before a prompt; only tells what that would change when `isDry`. */
async function rewindFiles(session: HeadlessSession, id: string, isDry: boolean): Promise<Json> {
  const preview = await session.previewFiles(id);
  if (!preview.ok) return { canRewind: false, error: preview.error.message };
  const report = isDry ? null : await session.restoreFiles(id);
  if (report?.ok === false) return { canRewind: false, error: report.error.message };
  const { files, conflicts, lost } = preview.value;
  const failed = report?.value.failed ?? [];
  const kept = new Set([...failed.map(({ path }) => path), ...(report?.value.left ?? [])]);
  const changed = files.filter(({ path }) => !kept.has(path));
  if (failed.length > 0 && changed.length === 0) {
    const why = failed.map((one) => `${one.path}: ${one.why}`).join('; ');
    return { canRewind: false, error: `No file could be restored: ${why}.` };
  }
  return {
    canRewind: true,
    filesChanged: changed.map(({ path }) => path),
    insertions: sumOf(changed.map(({ added = 0 }) => added)),
    deletions: sumOf(changed.map(({ removed = 0 }) => removed)),
    // What somebody else changed since stays as it is, and so does what is too large to be kept.
    filesLeft: [...new Set([...conflicts.map(({ path }) => path), ...lost, ...kept])],
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Names the servers that the program wants now, in the place of those it named so before. */
async function setServers(given: unknown, session: HeadlessSession): Promise<Result<Json>> {
  const before = session.namedServers();
  const { servers: read, errors: wrongOnes } = readServers(given, NAMED_LATER);
  // What their rules deny would be let through: those of a run are read at its beginning.
  const restricted = new Set(
    Object.entries(Object(given)).flatMap(([name, one]) =>
      toolPolicies({ [name]: one }, 'commandLine').length > 0 ? name : [],
    ),
  );
  const servers = read.filter(({ name }) => !restricted.has(name));
  const refused = [...restricted].map((name) => [
    name,
    `${name}.tools: a policy for tools can only be given when the run begins.`,
  ]);
  const errors = { ...wrongOnes, ...Object.fromEntries(refused) };
  session.nameServers(servers);
  // The next prompt may already be on its way.
  await session.insideReady();
  const names = servers.map(({ name }) => name);
  return ok({
    added: names.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !names.includes(name)),
    errors,
  });
}
