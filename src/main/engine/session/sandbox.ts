import type { AgentEvent } from '../../../shared/agent-event';
import { err, fault } from '../../../shared/result';
import type { DeniedPaths } from '../permissions/rule-match';
import type { Sandbox, SandboxPolicy, SandboxSession, SandboxViolation } from '../ports-sandbox';
import type { SandboxSettings } from '../settings/sandbox';
import { actText } from '../tools/builtin/bash/blocked';
import type { CommandSandbox } from '../tools/environment';
import type { NetworkQuestions } from './network-questions';

export interface SessionSandboxOptions {
  readonly sandbox: Sandbox;
  readonly project: string;
  readonly settings: () => SandboxSettings | undefined;
  /** Real paths. */
  readonly workingDirectories: () => readonly string[];
  /** What rules keep from being read and written. */
  readonly denied: () => DeniedPaths;
  readonly questions: NetworkQuestions;
  readonly record: (event: AgentEvent) => void;
}

/** A session's sandbox with its end. */
export interface OpenSandbox extends Pick<CommandSandbox, 'terms'> {
  /** Returns the sandbox for the commands of one agent: what it asks is that agent's question. */
  forAgent(agentId: string): CommandSandbox;
  /** What still runs inside keeps its walls, and gets no more network. */
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
    const found = await sandbox.availability();
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

  const forAgent = (agentId: string): CommandSandbox => ({
    terms,
    enter: async ({ callId, argv, text }, signal) => {
      const chosen = settings();
      if (!chosen) return err(fault('sandbox', 'settings have just switched it off'));
      session ??= sandbox.open({ project, ask: questions.ask });
      const policy = policyOf(chosen, options.workingDirectories(), options.denied());
      const leave = questions.enter({ agentId, callId, text });
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
      return { ok: true, value: { ...value, ended } };
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

const policyOf = (
  chosen: SandboxSettings,
  workingDirectories: readonly string[],
  denied: DeniedPaths,
): SandboxPolicy => ({
  writable: [...workingDirectories, ...chosen.allowWrite],
  denyWrite: [...chosen.denyWrite, ...denied.write],
  denyRead: [...chosen.denyRead, ...denied.read],
  allowRead: chosen.allowRead,
  allowedDomains: chosen.allowedDomains,
  deniedDomains: chosen.deniedDomains,
  weakerNested: chosen.weakerNested,
  allowLocalBinding: chosen.allowLocalBinding,
  allowAllUnixSockets: chosen.allowAllUnixSockets,
});
