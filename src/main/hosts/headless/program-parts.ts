import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HookEvent, type HookSetting } from '../../../shared/hooks';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { DrivingProgram, GivenPlugin, HeadlessOptions } from '../../app/headless-session';
import type { Clock } from '../../engine/ports';
import { readMatcher } from '../../engine/settings/hook-matchers';
import type { Json } from './api-shape';
import { createProgramDialogs } from './program-dialogs';
import { createProgramElicit } from './program-elicit';
import type { ProgramLink } from './program-link';
import { type AnswerEffects, createProgramBroker } from './program-questions';

/** The wishes that come with `initialize`. */
export interface Initialized {
  readonly options: HeadlessOptions;
  readonly program: DrivingProgram;
  /** Takes a message that a server inside the program sends of itself. */
  receive(server: string, message: unknown): void;
}

/** A plugin as a program names it. */
export const GivenPluginLine = z.looseObject({
  type: z.literal('local'),
  path: z.string().min(1),
  skipMcpDiscovery: z.boolean().nullish(),
});

export const asGivenPlugin = (given: z.infer<typeof GivenPluginLine>): GivenPlugin => ({
  path: given.path,
  isServerless: given.skipMcpDiscovery === true,
});

const Request = z.looseObject({
  systemPrompt: z.union([z.string(), z.array(z.string())]).nullish(),
  appendSystemPrompt: z.string().nullish(),
  agents: z.record(z.string(), z.unknown()).nullish(),
  jsonSchema: z.record(z.string(), z.unknown()).nullish(),
  title: z.string().nullish(),
  excludeDynamicSections: z.boolean().nullish(),
  skills: z.array(z.string()).nullish(),
  planModeInstructions: z.string().nullish(),
  toolAliases: z.record(z.string(), z.string()).nullish(),
  disallowedTools: z.array(z.string()).nullish(),
  settings: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  managedSettings: z.record(z.string(), z.unknown()).nullish(),
  plugins: z.array(GivenPluginLine).nullish(),
  hooks: z
    .record(
      z.string(),
      z.array(
        z.looseObject({
          matcher: z.string().nullish(),
          hookCallbackIds: z.array(z.string()),
          /** Seconds. */
          timeout: z.number().positive().nullish(),
          onFailure: z.enum(['continue', 'block']).nullish(),
        }),
      ),
    )
    .nullish(),
  sdkMcpServers: z.array(z.string().min(1)).nullish(),
  sdkMcpServerConfigs: z
    .record(
      z.string(),
      z.looseObject({ tools: z.unknown().optional(), timeout: z.unknown().optional() }),
    )
    .nullish(),
  mcpServers: z.record(z.string(), z.unknown()).nullish(),
  supportedDialogKinds: z.array(z.string()).nullish(),
});

/** The line that programs write between the parts of a system prompt that stay and those that change. */
const PROMPT_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/** The fields of it that a run has to begin with. */
const WEIGHTY = [
  'agents',
  'appendSystemPrompt',
  'disallowedTools',
  'hooks',
  'jsonSchema',
  'managedSettings',
  'mcpServers',
  'planModeInstructions',
  'plugins',
  'sdkMcpServerConfigs',
  'sdkMcpServers',
  'settings',
  'skills',
  'systemPrompt',
  'toolAliases',
];

/** Returns whether a request asks for something that a run has to begin with, and that `first` did not ask for. */
export const asksForMore = (request: Json, first: Json | null): boolean =>
  WEIGHTY.some((name) => {
    const wanted = request[name];
    return !isEmpty(wanted) && !isDeepStrictEqual(wanted, first?.[name]);
  });

/** The other side of a run that a program drives. */
interface ProgramSide {
  readonly link: ProgramLink;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Prints a line that needs no answer. */
  readonly tell: (line: Json) => Promise<void>;
  /** Takes questions; null where nobody does. */
  readonly questions: Pick<ProgramLink, 'ask'> | null;
  /** Null until the session is open. */
  readonly effects: () => AnswerEffects | null;
}

/**
 * Reads the request that begins a run, null for a program that sends none. The error names what cannot be honoured: a
 * run without it is not what was asked for.
 */
export function readInitialize(
  request: Json | null,
  asked: HeadlessOptions,
  side: ProgramSide,
): Result<Initialized> {
  const parsed = Request.safeParse(request ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(notHonoured(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unusable'}`));
  }
  const given = parsed.data;
  for (const name of ['settings', 'managedSettings'] as const) {
    // One of the two would go, with what it denies.
    if (given[name] != null && asked[name] !== undefined)
      return err(notHonoured(`${name} are given on the command line too; give them once`));
  }
  const hooks = hooksOf(given.hooks ?? {});
  if (!hooks.ok) return hooks;
  const inside = [...new Set(given.sdkMcpServers ?? [])];
  const servers = {
    ...Object.fromEntries(
      inside.map((name) => {
        const { tools, timeout } = given.sdkMcpServerConfigs?.[name] ?? {};
        return [name, { type: 'sdk', name, tools, timeout }];
      }),
    ),
    ...given.mcpServers,
  };
  const { systemPrompt } = given;
  const system = Array.isArray(systemPrompt)
    ? systemPrompt.filter((part) => part !== PROMPT_BOUNDARY).join('\n\n')
    : systemPrompt;
  const receivers = new Map<string, (message: unknown) => void>();
  const added = {
    ...(isEmpty(system) ? {} : { systemPrompt: system ?? '' }),
    ...(isEmpty(given.appendSystemPrompt)
      ? {}
      : { appendSystemPrompt: given.appendSystemPrompt ?? '' }),
    ...(isEmpty(given.agents) ? {} : { agents: JSON.stringify(given.agents) }),
    ...(isEmpty(given.jsonSchema) ? {} : { jsonSchema: JSON.stringify(given.jsonSchema) }),
    ...(isEmpty(given.title) ? {} : { title: given.title ?? '' }),
    ...(given.excludeDynamicSections === true ? { localApart: true } : {}),
    ...startOf(given, asked),
    ...(Object.keys(servers).length === 0
      ? {}
      : { mcpConfig: [JSON.stringify({ mcpServers: servers }), ...(asked.mcpConfig ?? [])] }),
  };
  return ok({
    options: { ...asked, ...added, driven: true },
    receive: (server, message) => receivers.get(server)?.(message),
    program: {
      createBroker:
        side.questions === null ? null : createProgramBroker(side.questions, side.effects),
      hooks: hooks.value,
      runHook: (hook, input, _env, signal) => runCallback(side.link, hook, input, signal),
      elicit: createProgramElicit(side.link),
      ...createProgramDialogs(side.link, side.clock, given.supportedDialogKinds ?? []),
      ...(asked.mirrors === true
        ? {
            mirror: (filePath, entries) =>
              side.tell({ type: 'transcript_mirror', filePath, entries }),
          }
        : {}),
      connectServer: (server, receive) => {
        const over = new AbortController();
        receivers.set(server, receive);
        return {
          send: async (message) => {
            const request = { subtype: 'mcp_message', server_name: server, message };
            const answer = await side.link.ask(request, over.signal);
            return answer.ok ? ok(answer.value['mcp_response']) : answer;
          },
          end: () => {
            over.abort();
            receivers.delete(server);
          },
        };
      },
    },
  });
}

/** Returns the wishes that are options of the command line too, or what no setting can say. */
function startOf(given: z.infer<typeof Request>, asked: HeadlessOptions): Partial<HeadlessOptions> {
  const { settings, managedSettings, plugins, skills, planModeInstructions, toolAliases } = given;
  const denied = given.disallowedTools ?? [];
  const named = (plugins ?? []).map(asGivenPlugin);
  const absolute = (all: readonly GivenPlugin[]) =>
    all.map(({ path }) => resolve(asked.folder, path));
  const folders = absolute(named);
  const serverless = absolute(named.filter(({ isServerless }) => isServerless));
  return {
    ...(denied.length === 0 ? {} : { disallowedTools: [...asked.disallowedTools, ...denied] }),
    ...(settings == null
      ? {}
      : { settings: typeof settings === 'string' ? settings : JSON.stringify(settings) }),
    ...(managedSettings == null ? {} : { managedSettings: JSON.stringify(managedSettings) }),
    ...(folders.length === 0
      ? {}
      : { pluginFolders: [...new Set([...(asked.pluginFolders ?? []), ...folders])] }),
    ...(serverless.length === 0
      ? {}
      : { serverlessPlugins: [...(asked.serverlessPlugins ?? []), ...serverless] }),
    wishes: {
      ...asked.wishes,
      ...(skills == null ? {} : { skills }),
      ...(isEmpty(planModeInstructions) ? {} : { planInstructions: planModeInstructions ?? '' }),
      ...(toolAliases == null ? {} : { toolAliases }),
    },
  };
}

/** Reads hooks. One that might never run, because its event or its matcher means nothing here, is an error. */
function hooksOf(
  given: NonNullable<z.infer<typeof Request>['hooks']>,
): Result<readonly HookSetting[]> {
  const hooks: HookSetting[] = [];
  for (const [name, groups] of Object.entries(given)) {
    if (groups.length === 0) continue;
    const event = HookEvent.safeParse(name);
    if (!event.success) return err(notHonoured(`hooks.${name}: Lathe has no such event`));
    for (const { matcher, hookCallbackIds, timeout, onFailure } of groups) {
      const text = (matcher ?? '').trim();
      const read = readMatcher(text, event.data);
      if (!read.ok) return err(notHonoured(`hooks.${name}: ${read.error}`));
      for (const run of hookCallbackIds)
        hooks.push({
          event: event.data,
          matcher: text,
          type: 'callback',
          run,
          ...(timeout == null ? {} : { timeoutMs: timeout * 1000 }),
          ...(onFailure == null ? {} : { onFailure }),
          source: 'commandLine',
          file: 'initialize',
          line: hooks.length + 1,
          off: null,
        });
    }
  }
  return ok(hooks);
}

/** Runs a hook inside the program; what it returns counts like the JSON that a command prints. */
async function runCallback(
  link: ProgramLink,
  { run }: HookSetting,
  input: string,
  signal: AbortSignal,
): ReturnType<DrivingProgram['runHook']> {
  const facts: Json = JSON.parse(input);
  const toolUseId = facts['tool_use_id'];
  const answer = await link.ask(
    {
      subtype: 'hook_callback',
      callback_id: run,
      input: facts,
      ...(typeof toolUseId === 'string' ? { tool_use_id: toolUseId } : {}),
    },
    signal,
  );
  if (signal.aborted) return { kind: 'cancelled', message: 'ended before it was done' };
  if (!answer.ok) return { kind: 'failed', message: answer.error };
  return { kind: 'exited', exitCode: 0, stdout: JSON.stringify(answer.value), stderr: '' };
}

const notHonoured = (what: string) =>
  fault('not_honoured', `initialize cannot be carried out. ${what}.`);

/** Returns whether a field says nothing; a list of nothing, such as no words of a prompt, does not either. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(isEmpty));
