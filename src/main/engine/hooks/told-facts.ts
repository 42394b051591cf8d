import type { HookEvent, HookSetting } from '../../../shared/hooks';
import type { Task } from '../../../shared/task';
import { cap } from './cap';
import type { HookAudience, HookedAgent, HookRequest, Teammate } from './hook-request';
import type { HookElicited } from './json-reply';
import type { HookVerdict } from './verdict';

/** The beginning of a session, in the words of the ecosystem (docs/hooks.md). Absent: nothing went before. */
export interface StartFacts {
  readonly source: StartSource;
  readonly model: string;
  readonly session_title?: string;
  readonly seconds_since_last_response?: number;
  readonly context_tokens?: number;
  readonly prompt_cache_likely_expired?: boolean;
  readonly estimated_cache_write_usd?: number;
}

/** The origin of a session, as SessionStart hooks are told (docs/hooks.md). */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork';

/** The origin of a prompt: typed in a window, or given by a command line or a program. */
export interface PromptFacts {
  readonly source: 'user' | 'sdk';
  readonly session_title?: string;
}

/** A call as hooks see it. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  /** As people see it, e.g. with absolute paths. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The tool server that the tool is of, and where that is defined. */
  readonly server?: { readonly name: string; readonly source: string } | undefined;
  /** Returns whether a permission rule covers it. */
  readonly covers: (rule: string) => Promise<boolean>;
}

/** The end of a call, as hooks see it. */
export type CallEnd =
  | { readonly ok: true; readonly response: unknown; readonly durationMs: number }
  | {
      readonly ok: false;
      readonly error: string;
      readonly interrupted: boolean;
      readonly durationMs: number;
    };

/** A call of a response, with the result as the model reads it. */
export interface BatchedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

/** The reason a query could not go on. `error` is a kind that the ecosystem has a name for. */
export interface StopFailure {
  readonly error: string;
  readonly details: string;
  readonly message: string;
}

/** Facts for stop hooks. A sub-agent's end is the same event under another name. */
export interface StopMoment {
  readonly text: string;
  readonly stopHookActive: boolean;
  /** The tasks that still run in the background. */
  readonly tasks: readonly Task[];
  readonly agent?: HookedAgent;
}

/** Returns what stop hooks are asked about the end of an agent's work. Pure. */
export const stopped = ({ text, stopHookActive, tasks, agent }: StopMoment): HookRequest => ({
  event: agent ? 'SubagentStop' : 'Stop',
  subject: agent?.type ?? '',
  fields: {
    stop_hook_active: stopHookActive,
    last_assistant_message: text,
    background_tasks: tasks.map(taskField),
    session_crons: [],
    ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
    ...(agent?.transcript ? { agent_transcript_path: agent.transcript } : {}),
  },
});

/** A part of a message that is about to be shown, under the names that hooks know. */
export interface DisplayPart {
  readonly turn_id: string;
  /** Of the message, the same for all its parts. */
  readonly message_id: string;
  /** The number of the part, from 0. */
  readonly index: number;
  /** No other part comes. */
  readonly final: boolean;
  /** Whole lines, but for the end of the message. */
  readonly delta: string;
}

/**
 * Returns whether a hook is asked what is shown, while it is held back. The others are told of each message when it is
 * whole: nobody waits for them, or they only ever say yes or no. Pure.
 */
export const decidesDisplay = ({ async, type }: Pick<HookSetting, 'async' | 'type'>): boolean =>
  async !== true && type !== 'prompt' && type !== 'agent';

/** Returns what hooks are asked about a part of a message. Pure. */
export const displayed = (part: DisplayPart, audience: HookAudience): HookRequest => ({
  ...{ event: 'MessageDisplay', subject: '', audience },
  fields: { ...part },
});

/** A summary that is about to be made, or was. */
export interface CompactRequest {
  readonly trigger: 'manual' | 'auto';
  /** The wishes of the user about what to keep; '' when they did not say. */
  readonly instructions: string;
}

/** Returns a call of a batch under the names that hooks know. */
export const batchField = ({ id, tool, input, response }: BatchedCall) => ({
  tool_name: tool,
  tool_input: input,
  tool_use_id: id,
  tool_response: response,
});

/** As much of a task's words as hooks are told. UTF-16 units. */
const MAX_TASK_TEXT = 1_000;

/** Returns a task under the names that the ecosystem's hooks know. */
const taskField = ({ id, type, status, title, command }: Task) => ({
  id,
  type: TASK_TYPES[type] ?? type,
  status,
  description: cap(title, MAX_TASK_TEXT),
  ...(command === undefined ? {} : { command: cap(command, MAX_TASK_TEXT) }),
});

const TASK_TYPES: Partial<Record<Task['type'], string>> = {
  local_bash: 'shell',
  local_agent: 'subagent',
  observer: 'subagent',
  in_process_teammate: 'teammate',
  local_workflow: 'workflow',
};

/** A command of a file or a server that a user typed. */
export interface Expansion {
  readonly type: 'slash_command' | 'mcp_prompt';
  readonly name: string;
  readonly args: string;
  /** The place that it comes from. */
  readonly source: string;
}

/** A switch to another model, in the words of the ecosystem (docs/hooks.md). */
export interface ModelSwitchFacts {
  readonly from_model: string;
  readonly to_model: string;
  /** The name that was asked for; null for none. */
  readonly requested_model: string | null;
  readonly source: 'command' | 'picker' | 'sdk' | 'auto';
  /** The part that the next request sends again. Tokens. */
  readonly context_tokens: number;
  readonly prompt_cache_warm: boolean;
  readonly cache_ttl: '5m';
  readonly estimated_cache_write_usd: number;
  readonly pricing: 'catalog';
}

/** A question of a tool server to the user. */
export interface Elicited {
  readonly server: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  readonly url?: string;
  readonly id?: string;
  /** The JSON Schema of the form. */
  readonly schema?: unknown;
}

/** Returns what hooks are asked about a teammate that has nothing left to do. Pure. */
export const teammateIdle = (teammate: Teammate): HookRequest => ({
  ...{ event: 'TeammateIdle', subject: '' },
  fields: { ...teammate },
});

/** Returns what hooks are asked about a question of a tool server. Pure. */
export const elicitation = (asked: Elicited): HookRequest => {
  const { message, mode, url, id, schema } = asked;
  return ofServer('Elicitation', asked, {
    message: cap(message),
    mode,
    ...(url === undefined ? {} : { url }),
    ...(id === undefined ? {} : { elicitation_id: id }),
    ...(schema === undefined ? {} : { requested_schema: schema }),
  });
};

/** Returns what hooks are asked about the answer to one. Pure. */
export const elicitationResult = (asked: Elicited, answer: HookElicited): HookRequest => {
  const { mode, id } = asked;
  const named = id === undefined ? {} : { elicitation_id: id };
  return ofServer('ElicitationResult', asked, { mode, ...named, ...answer });
};

const ofServer = (event: HookEvent, { server }: Elicited, fields: object): HookRequest => ({
  event,
  subject: server,
  fields: { mcp_server_name: server, ...fields },
});

/** Returns the answer of hooks to a tool server; one that blocks gives nothing away. Pure. */
export const elicitedBy = ({ block, stop, elicited }: HookVerdict): HookElicited | null =>
  block !== null || stop !== null ? { action: 'decline' } : elicited;

/** The way in which a folder was added to a session: typed by the user, or asked for by the program that drives it. */
export type FolderSource = 'slash_command' | 'register_repo_root';
