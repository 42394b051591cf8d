import type { HookEvent } from '../../../shared/hooks';

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
  /** Words of the person that a hook may keep from the model. */
  readonly prompt?: string;
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
  readonly agent?: { readonly id: string; readonly type: string };
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
    ...fields,
  })}\n`;
}
