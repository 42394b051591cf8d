import type { HookEvent, HookSetting } from '../../../shared/hooks';

/** One event that hooks are asked about, with its facts. */
export interface HookRequest {
  readonly event: HookEvent;
  /** The subject that matchers look at: a tool's name, a trigger, a kind of notification; '' where they look at nothing. */
  readonly subject: string;
  /** Facts for hooks besides those that every event carries, under the names of docs/hooks.md. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The call it is about. */
  readonly callId?: string;
  /** Returns whether a permission rule covers the call, for hooks that have a condition. */
  readonly covers?: (rule: string) => Promise<boolean>;
  /** Words of the user that a hook may keep from the model. */
  readonly prompt?: string;
  /** Absent: all that fit are meant. */
  readonly audience?: HookAudience;
}

/** The hooks, among those that fit, that a request is meant for. */
export interface HookAudience {
  readonly takes: (hook: HookSetting) => boolean;
  /** Called with each that is waited for and gives no usable answer. */
  readonly onFailed?: (hook: HookSetting) => void;
  /** People know already that these fail. */
  readonly knownToFail?: true;
}

/** A sub-agent as hooks see it. */
export interface HookedAgent {
  readonly id: string;
  /** The name of its definition. */
  readonly type: string;
  /** The name that messages reach it by, where it was given one, and that of its session's team. */
  readonly teammate?: Teammate;
  /** The file of its conversation, at its end; null when there is none. */
  readonly transcript?: string | null;
}

/** A sub-agent with a name, as hooks are told of it. */
export interface Teammate {
  readonly teammate_name: string;
  readonly team_name: string;
}

/** Facts that every hook is told (docs/hooks.md). */
export interface HookFacts {
  readonly sessionId: string;
  /** The prompt that is being answered; null before the first. */
  readonly promptId: string | null;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly mode: string;
  readonly effort: string;
  /** The sub-agent it happened in. */
  readonly agent?: HookedAgent;
}

/** Returns the text for a hook's standard input: one JSON object and a line end. Pure. */
export function hookInput(facts: HookFacts, { event, fields }: HookRequest): string {
  return `${JSON.stringify({
    session_id: facts.sessionId,
    ...(facts.promptId === null ? {} : { prompt_id: facts.promptId }),
    transcript_path: facts.transcriptPath,
    cwd: facts.cwd,
    permission_mode: facts.mode,
    effort: { level: facts.effort },
    ...(facts.agent === undefined || 'agent_id' in fields
      ? {}
      : { agent_id: facts.agent.id, agent_type: facts.agent.type }),
    hook_event_name: event,
    ...(OF_STEPS.has(event) ? facts.agent?.teammate : {}),
    ...fields,
  })}\n`;
}

/** The events that name the teammate they happened at. */
const OF_STEPS: ReadonlySet<HookEvent> = new Set<HookEvent>(['TaskCreated', 'TaskCompleted']);
