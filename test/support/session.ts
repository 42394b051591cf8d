import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckpoints } from '../../src/main/checkpoints/create-checkpoints';
import { createDayLedger } from '../../src/main/engine/cost/day-ledger';
import { price } from '../../src/main/engine/cost/price';
import { createSignInStore } from '../../src/main/engine/mcp/sign-in-store';
import { createToolApprovals } from '../../src/main/engine/mcp/tool-approvals';
import { modelInMode } from '../../src/main/engine/model/catalog';
import {
  createModelClient,
  type ModelClientOptions,
} from '../../src/main/engine/model/create-client';
import type { ModelClient } from '../../src/main/engine/model/model-client';
import type { Decide } from '../../src/main/engine/permissions/request';
import { isPrivateAddress, isPrivateHost } from '../../src/main/engine/permissions/web-request';
import type { Commands, Terminals } from '../../src/main/engine/ports';
import type { Sandbox } from '../../src/main/engine/ports-sandbox';
import type { Services } from '../../src/main/engine/services';
import type { AgentSpec } from '../../src/main/engine/session/agent';
import { openSession, type SessionTarget } from '../../src/main/engine/session/open-session';
import { createSettingsEditor } from '../../src/main/engine/session/overlay';
import type { SessionPlugs } from '../../src/main/engine/session/plugs';
import type { Session } from '../../src/main/engine/session/session';
import type { HostPolicy } from '../../src/main/engine/session/session-scope';
import type { BranchPoint } from '../../src/main/engine/sessions/branch';
import type { StoredSession } from '../../src/main/engine/sessions/list';
import { sessionPaths } from '../../src/main/engine/sessions/paths';
import type { EffectiveSettings } from '../../src/main/engine/settings/effective';
import { createSettingsWriter } from '../../src/main/engine/settings/write';
import { fixedSource } from '../../src/main/engine/tools/catalogue';
import type { AnyTool } from '../../src/main/engine/tools/tool';
import { createSecretFile, plainly } from '../../src/main/hosts/common/secret-file';
import { createCallbacks } from '../../src/main/node/callbacks';
import { createNodeCommands } from '../../src/main/node/commands';
import { createHttpFetch } from '../../src/main/node/fast/http-fetch';
import { createNodeFiles } from '../../src/main/node/files';
import { createHookPost } from '../../src/main/node/hook-post';
import { createNodePrograms } from '../../src/main/node/programs';
import { createOwnTrees } from '../../src/main/terminal/process/kill-tree';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import type { AgentEvent, Stamped } from '../../src/shared/agent-event';
import type { Decision, PermissionMode } from '../../src/shared/permission';
import { ok } from '../../src/shared/result';
import { createTestLocks } from './locks';
import { countingIds, type MemoryClock, memoryClock } from './memory-clock';
import { noSandbox } from './no-sandbox';
import { pdfsHere } from './pdfs';
import {
  type Script,
  type ScriptedApi,
  type ScriptedApiOptions,
  startScriptedApi,
} from './scripted-api';
import { shellParser, toolEnvironment } from './tool-environment';

const MODEL = 'claude-sonnet-5-5';

/** A whole session over a scripted API: real HTTP, real files in a temporary folder, a clock that stands still. */
export interface TestSession {
  readonly api: ScriptedApi;
  readonly project: string;
  readonly latheHome: string;
  readonly clock: ReturnType<typeof memoryClock>;
  readonly services: Services;
  session: Session;
  /** Runs one query to its end and gives its events. */
  run(prompt: string | null): Promise<readonly AgentEvent[]>;
  /** Makes an empty file in the project. */
  touch(name: string): Promise<void>;
  /** Opens the same session again from its file, as after a restart, with other settings if need be. */
  reopen(changed?: Partial<EffectiveSettings>): Promise<void>;
  /** Opens a copy of the session up to a place. Throws when it has no such place. */
  fork(until: BranchPoint): Promise<Session>;
  close(): Promise<void>;
}

export interface TestSessionOptions
  extends Partial<Pick<HostPolicy, 'limits' | 'createBroker' | 'prompts'>>,
    NonNullable<AgentSpec['loop']>,
    SessionPlugs {
  readonly tools?: readonly AnyTool[];
  /** The texts of files of the project, which are there before the session opens. */
  readonly files?: Readonly<Record<string, string>>;
  /** Hosts the session in the place of nobody. */
  readonly host?: (plain: HostPolicy) => HostPolicy;
  /** Files of the project can be restored. */
  readonly checkpoints?: boolean;
  /** A user types here. */
  readonly attended?: boolean;
  /** What differs from a session without any settings. */
  readonly settings?: Partial<EffectiveSettings>;
  readonly decision?: Decision['behavior'];
  /** Decides in the place of `decision`. */
  readonly decide?: Decide;
  readonly mode?: PermissionMode;
  /** Nobody chose model, effort and mode. */
  readonly unchosen?: true;
  readonly terminals?: Terminals;
  /** Starts hooks and servers. Default: as real programs. */
  readonly startedBy?: Commands;
  /** Default: a system that has none. */
  readonly sandbox?: Sandbox;
  readonly api?: ScriptedApiOptions;
  readonly clock?: MemoryClock;
  /** What differs from a plain client: fallback models, providers, another address. */
  readonly client?: Partial<ModelClientOptions>;
  /** Wraps the client: what a host puts around it. */
  readonly wrap?: (client: ModelClient) => ModelClient;
}

const decided = (behavior: Decision['behavior']): Decision => ({
  behavior,
  reason: 'the test says so',
  why: [],
  suggestions: [],
});

export async function openTestSession(
  script: Script,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  const root = await mkdtemp(join(tmpdir(), 'lathe-session-'));
  const project = join(root, 'project');
  const latheHome = join(root, 'home');
  const files = createNodeFiles();
  await files.makeDirectory(project);
  for (const [name, text] of Object.entries(options.files ?? {}))
    await files.write(join(project, name), text);
  const api = await startScriptedApi(script, options.api);
  const clock = options.clock ?? memoryClock(Date.UTC(2026, 10, 21));
  const ids = countingIds();
  const locks = createTestLocks();
  const services: Services = {
    claudeTranscripts: false,
    files,
    parser: shellParser,
    pdfs: pdfsHere,
    programs: createNodePrograms(),
    commands: options.startedBy ?? createNodeCommands(createOwnTrees(systemProcesses(), 100)),
    fetch,
    signIns: createSignInStore(createSecretFile(files, latheHome, plainly('sign-ins.json')), {
      locks,
      folder: join(latheHome, 'run'),
    }),
    approvals: createToolApprovals(files, join(latheHome, 'tool-approvals.json')),
    callbacks: createCallbacks(),
    postHook: createHookPost({ isPrivateAddress, isPrivateHost, proxied: () => false }),
    terminals: options.terminals ?? toolEnvironment().services.terminals,
    clock,
    ids,
    home: join(root, 'user'),
    configDir: join(root, 'user', '.claude'),
    managedMemory: join(root, 'managed', 'CLAUDE.md'),
    platform: 'linux',
    shell: '/bin/bash',
    version: '0.0.0-test',
    system: '6.1.0, x64',
    runtime: 'Node 24',
    latheHome,
    locks,
    checkpoints: options.checkpoints
      ? createCheckpoints({
          folderOf: () => join(root, 'checkpoints'),
          path: process.env['PATH'] ?? '',
          platform: process.platform,
          locks,
        })
      : null,
    ledger: createDayLedger({ files, clock, folder: join(latheHome, 'spending') }),
    web: { get: noWeb, readable: noWeb },
    smallModel: () => MODEL,
    sandbox: options.sandbox ?? noSandbox,
    toolSources: [fixedSource('test', options.tools ?? [])],
    decide: options.decide ?? (() => decided(options.decision ?? 'allow')),
    shellEnv: async (added: Readonly<Record<string, string>>) => ({
      PATH: process.env['PATH'] ?? '',
      ...added,
    }),
    resolveModel: ok,
    modelInMode: (model, mode) => modelInMode(model, mode, {}),
    defaultModel: () => ok(MODEL),
  };
  const client = createModelClient({
    apiKey: 'test-key',
    baseUrl: api.url,
    clock,
    random: () => 0,
    price,
    fetch: createHttpFetch(),
    ...options.client,
  });
  const model = options.wrap?.(client) ?? client;
  const sessionId = ids.uuid();
  const editSettings = createSettingsEditor(createSettingsWriter(files), services.configDir);
  const { file } = sessionPaths(latheHome, project, sessionId);

  let changed: Partial<EffectiveSettings> = {};
  const settings = (): EffectiveSettings => ({
    trusted: true,
    fallbackModels: [],
    defaultMode: 'default',
    modesOff: [],
    additionalDirectories: [],
    env: {},
    rules: [],
    hooks: [],
    problems: [],
    findings: [],
    findingsHash: '',
    ...options.settings,
    ...changed,
  });
  const open = async (how: 'new' | 'resume' | BranchPoint): Promise<Session> => {
    const stored = {
      id: sessionId,
      file,
      project,
      title: '',
      createdAt: 0,
      updatedAt: 0,
      demo: false,
    };
    const { stopHooks, autocompact } = options;
    const opened = await openSession(services, {
      target: targetOf(how, stored),
      chosen: options.unchosen
        ? {}
        : { model: MODEL, effort: 'high', mode: options.mode ?? 'default' },
      defaultModel: ok(MODEL),
      resumedMode: (mode) => mode,
      host: (options.host ?? ((plain) => plain))({
        settings,
        refreshSettings: async () => {},
        createBroker: options.createBroker ?? null,
        model,
        limits: options.limits ?? { maxTurns: null, maxBudgetUsd: null },
        unattended: options.attended !== true,
        prompts: options.prompts ?? {},
        saveRule: async () => ok(null),
        changeSettings: (destination, edit) => editSettings(project, destination, edit),
      }),
      plugs: options,
      loop: {
        ...(stopHooks ? { stopHooks } : {}),
        ...(autocompact ? { autocompact } : {}),
      },
    });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };

  const targetOf = (how: 'new' | 'resume' | BranchPoint, stored: StoredSession): SessionTarget => {
    if (how === 'new') return { kind: 'new', project, sessionId };
    return how === 'resume' ? { kind: 'resume', stored } : { kind: 'fork', stored, until: how };
  };

  const test: TestSession = {
    api,
    project,
    latheHome,
    clock,
    services,
    session: await open('new'),
    run: async (prompt) => {
      const events: AgentEvent[] = [];
      for await (const stamped of test.session.main.engine.submit(prompt))
        events.push(stamped.event);
      return events;
    },
    touch: async (name) => {
      await files.write(join(project, name), '');
    },
    reopen: async (given = {}) => {
      await test.session.close({ keepTasks: true });
      changed = { ...changed, ...given };
      test.session = await open('resume');
    },
    fork: async (until) => {
      await test.session.log.flush();
      return open(until);
    },
    close: async () => {
      await test.session.close({ keepTasks: false });
      await api.close();
      await locks.release();
      await rm(root, { recursive: true, force: true });
    },
  };
  return test;
}

/** The events' types, deltas and bookkeeping left out. */
export const typesOf = (events: readonly (AgentEvent | Stamped)[]): string[] =>
  events
    .map((e) => ('event' in e ? e.event : e))
    .filter((e) => e.type !== 'block_delta' && e.type !== 'context_changed')
    .map((e) => e.type);

const noWeb = () => {
  throw new Error('This test gave its session no web.');
};
