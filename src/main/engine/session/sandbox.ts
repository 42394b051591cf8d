import { createHash } from 'node:crypto';
import type { AgentEvent } from '../../../shared/agent-event';
import type { Decision, PermissionRule, RuleSuggestion } from '../../../shared/permission';
import { err, fault, type Result } from '../../../shared/result';
import type { Broker } from '../permissions/broker';
import type { PermissionRequest } from '../permissions/request';
import type { DeniedPaths } from '../permissions/rule-match';
import { webRequest } from '../permissions/web-request';
import type { Files, Ids } from '../ports';
import type {
  NetworkAnswer,
  NetworkQuestion,
  Sandbox,
  SandboxPolicy,
  SandboxSession,
  SandboxViolation,
} from '../ports-sandbox';
import type { SandboxSettings } from '../settings/sandbox';
import { titleOf } from '../tools/approval';
import { actText } from '../tools/builtin/bash/sandbox-placement';
import type { CommandSandbox } from '../tools/environment';
import { pathsInWorktrees } from './worktree-denials';

interface SessionSandboxOptions {
  readonly sandbox: Sandbox;
  readonly files: Pick<Files, 'list' | 'stat'>;
  readonly project: string;
  readonly settings: () => SandboxSettings | undefined;
  /** Real paths. */
  readonly workingDirectories: () => readonly string[];
  /** Returns the paths that rules keep from being read and written. */
  readonly denied: (rules: readonly PermissionRule[]) => DeniedPaths;
  readonly questions: NetworkQuestions;
  readonly record: (event: AgentEvent) => void;
}

/** A session's sandbox with its end. */
export interface OpenSandbox extends Pick<CommandSandbox, 'terms'> {
  /** Returns the sandbox for the commands of one agent: its rules hold in it, and what it asks is its question. */
  forAgent(agentId: string, rules: () => readonly PermissionRule[]): CommandSandbox;
  /** Ends the sandbox; what still runs inside keeps its walls, and gets no more network. */
  close(): Promise<void>;
}

/** Creates the sandbox for the commands of one session. Nothing starts before the first of them. */
export function createSessionSandbox(options: SessionSandboxOptions): OpenSandbox {
  const { sandbox, project, settings, questions, record } = options;
  const following = new Set<Promise<void>>();
  let session: SandboxSession | null = null;
  let said = false;

  const wanted = async (): Promise<SandboxSettings | null> => {
    const chosen = settings();
    if (!chosen?.enabled) return null;
    const found = await sandbox.availability(chosen.programs);
    if (found.state === 'ready' || (found.state === 'weaker' && chosen.weakerNested)) return chosen;
    if (!said) {
      said = true;
      const text = `Commands run without the sandbox: ${found.why} Rules and questions apply.`;
      record({ type: 'notice', level: 'warning', code: 'no_sandbox', text, fix: found.fix });
    }
    return null;
  };

  const tell = (violations: readonly SandboxViolation[]) => {
    if (violations.length === 0) return;
    const text = `The sandbox stopped a background command from ${violations.map(actText).join(', ')}.`;
    record({ type: 'notice', level: 'info', code: 'sandbox_blocked', text });
  };

  const unmasked = new Set<string>();
  const tellUnmasked = (names: readonly string[]) => {
    for (const name of names.filter((one) => !unmasked.has(one))) {
      unmasked.add(name);
      const text = `Commands in the sandbox get no ${name}: it cannot be masked.`;
      const fix =
        'Masking begins with a session, and takes values of one line of plain characters, or what their patterns find.';
      record({ type: 'notice', level: 'warning', code: 'not_masked', text, fix });
    }
  };

  const terms = async () => {
    const chosen = await wanted();
    return (
      chosen && {
        autoAllow: chosen.autoAllow,
        allowUnsandboxed: chosen.allowUnsandboxed,
        excludedCommands: chosen.excludedCommands,
      }
    );
  };

  const forAgent: OpenSandbox['forAgent'] = (agentId, rules) => ({
    terms,
    enter: async ({ callId, argv, text, env }, signal) => {
      const chosen = settings();
      if (!chosen) return err(fault('sandbox', 'settings have just switched it off'));
      session ??= sandbox.open({ project, ask: questions.ask });
      const own = policyOf(chosen, options.workingDirectories(), options.denied(rules()), env);
      const inWorktrees = (paths: readonly string[]) =>
        pathsInWorktrees(options.files, project, paths);
      const policy = {
        ...own,
        denyRead: [...own.denyRead, ...(await inWorktrees(own.denyRead))],
        denyWrite: [...own.denyWrite, ...(await inWorktrees(own.denyWrite))],
      };
      const leave = questions.enter({ agentId, callId, text, rules });
      const entered = await session.enter({ argv, text, policy }, signal);
      if (!entered.ok) {
        leave();
        return entered;
      }
      const { value } = entered;
      const ended = async () => {
        leave();
        return value.ended();
      };
      tellUnmasked(value.unmasked);
      // Not even what makes the sandbox has them: a command may look at it.
      const rest = without(env, own.withheldVariables);
      return { ok: true, value: { ...value, env: rest, ended } };
    },
    follow: (command, exited) => {
      const work = exited
        .then(() => command.ended())
        .then(tell)
        .finally(() => following.delete(work));
      following.add(work);
    },
  });

  return {
    terms,
    forAgent,
    close: async () => {
      await session?.close();
    },
  };
}

const without = (
  env: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

const policyOf = (
  chosen: SandboxSettings,
  workingDirectories: readonly string[],
  denied: DeniedPaths,
  env: Readonly<Record<string, string>>,
): SandboxPolicy => ({
  writable: [...workingDirectories, ...chosen.allowWrite],
  denyWrite: [...chosen.denyWrite, ...denied.write],
  denyRead: [
    ...chosen.denyRead,
    ...chosen.credentialFiles,
    // A stand-in lies over one that is masked; without it, nothing is there.
    ...chosen.maskedFiles.map(({ name }) => name),
    ...denied.read,
  ],
  allowRead: chosen.allowRead,
  allowedDomains: chosen.allowedDomains,
  deniedDomains: chosen.deniedDomains,
  proxyPorts: chosen.proxyPorts,
  strictAllowlist: chosen.strictAllowlist,
  withheldVariables: [
    ...chosen.credentialVariables,
    ...chosen.maskedVariables.map(({ name }) => name),
  ],
  masked: chosen.maskedVariables.flatMap((key) => {
    const value = env[key.name];
    return value ? [{ ...key, value }] : [];
  }),
  maskedFiles: chosen.maskedFiles.map(({ name, ...rest }) => ({ path: name, ...rest })),
  ...{ awsPairs: chosen.awsPairs, sigv4: chosen.sigv4 },
  plaintextInject: chosen.plaintextInject,
  withoutFileWalls: chosen.withoutFileWalls,
  tlsTerminate: chosen.tlsTerminate,
  weakerNested: chosen.weakerNested,
  weakerNetwork: chosen.weakerNetwork,
  appleEvents: chosen.appleEvents,
  nestedNamespaces: chosen.nestedNamespaces,
  allowLocalBinding: chosen.allowLocalBinding,
  allowAllUnixSockets: chosen.allowAllUnixSockets,
  allowUnixSockets: chosen.allowUnixSockets,
  allowMachLookup: chosen.allowMachLookup,
  ignoreViolations: chosen.ignoreViolations,
  programs: chosen.programs,
});

/** May a command in the sandbox reach a host? Rules for `WebFetch` answer, or else the user. */
interface NetworkQuestions {
  /** Never rejects. The same host is asked about once at a time. */
  readonly ask: (question: NetworkQuestion) => Promise<NetworkAnswer>;
  /** Notes that a command of an agent runs inside; returns a function that notes its end. */
  enter(command: InsideCommand): () => void;
}

/** A command that runs in the sandbox. */
interface InsideCommand {
  readonly agentId: string;
  readonly callId: string;
  readonly text: string;
  /** Returns the rules of its agent that hold now. */
  readonly rules: () => readonly PermissionRule[];
}

interface NetworkQuestionsOptions {
  readonly decide: (request: PermissionRequest, rules?: readonly PermissionRule[]) => Decision;
  /** Null where nobody can be asked. */
  readonly broker: Broker | null;
  readonly ids: Ids;
  readonly remember: (suggestion: RuleSuggestion) => Promise<Result<null>>;
  /** Tells the user what went wrong when a rule could not be saved. */
  readonly onProblem: (message: string) => void;
}

const ALLOWED: NetworkAnswer = { allow: true, reason: 'it is allowed' };
const denied = (reason: string): NetworkAnswer => ({ allow: false, reason });

/** Hosts remembered for a session; more are asked about again. */
const MAX_REMEMBERED = 1000;

/**
 * Creates the questions of one session. A yes holds for the session, because one command connects many times; a no holds
 * while commands run, so that a retry does not ask again.
 */
export function createNetworkQuestions(options: NetworkQuestionsOptions): NetworkQuestions {
  const { broker } = options;
  const running = new Map<symbol, InsideCommand>();
  const open = new Map<string, Promise<NetworkAnswer>>();
  const allowed = new Set<string>();
  const refused = new Set<string>();
  let nobodyRuns = new AbortController();

  // Nothing tells which command connects, so the rules of every agent with a command inside bind.
  const decide = (request: PermissionRequest): Decision => {
    const agents = new Map([...running.values()].map(({ agentId, rules }) => [agentId, rules]));
    const decisions = [...agents.values()].map((rules) => options.decide(request, rules()));
    return (
      decisions.find(({ behavior }) => behavior === 'deny') ??
      decisions.find(({ behavior }) => behavior === 'ask') ??
      decisions[0] ??
      options.decide(request)
    );
  };

  const askUser = async (
    host: string,
    port: number | null,
    request: PermissionRequest,
    decision: Decision,
  ): Promise<NetworkAnswer> => {
    const inside = [...running.values()].reverse();
    const [latest] = inside;
    if (broker === null || latest === undefined) {
      return denied('nobody can be asked in this session');
    }
    const commands = inside.map(({ text }) => text);
    const subject = { kind: 'connect' as const, host, port, commands };
    const digest = createHash('sha256').update(JSON.stringify(subject)).digest('hex');
    const { signal } = nobodyRuns;
    const answer = await broker.forAgent(latest.agentId).ask(
      {
        approval: {
          id: options.ids.next('apr'),
          callId: latest.callId,
          tool: 'Bash',
          title: titleOf(subject),
          subject,
          decision: {
            ...decision,
            reason: `the sandbox keeps commands from hosts that nothing allows; a yes holds for this session`,
          },
          digest,
        },
        nowAllowed: async () => decide(request).behavior === 'allow',
      },
      signal,
    );
    if (answer.behavior !== 'allow') {
      refused.add(host);
      const words = answer.behavior === 'deny' ? answer.message : undefined;
      return denied(words ? `the user said no: ${words}` : 'the user said no');
    }
    if (allowed.size < MAX_REMEMBERED) allowed.add(host);
    if (answer.remember) {
      const saved = await options.remember(answer.remember);
      if (!saved.ok) options.onProblem(saved.error.message);
      await broker.recheck();
    }
    return ALLOWED;
  };

  const answerTo = async ({ host, port }: NetworkQuestion): Promise<NetworkAnswer> => {
    const name = plainHost(host);
    if (name === null) return denied('that is no name of a host');
    const request = webRequest('WebFetch', new URL(`https://${name}/`));
    const decision = decide(request);
    if (decision.behavior === 'deny') return denied(decision.reason);
    if (allowed.has(name)) return ALLOWED;
    if (refused.has(name)) return denied('the user said no');
    if (decision.behavior === 'allow') return ALLOWED;
    const waiting = open.get(name);
    if (waiting) return waiting;
    const answer = askUser(name, port, request, decision).finally(() => open.delete(name));
    open.set(name, answer);
    return answer;
  };

  return {
    ask: answerTo,
    enter: (command) => {
      const key = Symbol(command.callId);
      running.set(key, command);
      return () => {
        running.delete(key);
        if (running.size > 0) return;
        refused.clear();
        nobodyRuns.abort();
        nobodyRuns = new AbortController();
      };
    },
  };
}

/** Returns a host as rules name it: lower case, no dot at the end; null for what is none. The command wrote it. */
function plainHost(host: string): string | null {
  const name = host.toLowerCase().replace(/\.$/, '');
  const isAddress = /^[0-9a-f:.]+$/.test(name) && name.includes(':');
  const text = isAddress ? `[${name}]` : name;
  if (text.length > 253 || !/^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(text))
    return null;
  return URL.canParse(`https://${text}/`) ? text : null;
}
