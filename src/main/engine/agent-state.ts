import type { AgentEvent, Stamped, ThinkingMode } from '../../shared/agent-event';
import type { Message } from '../../shared/message';
import { chosenAfter } from '../../shared/model-name';
import type { PermissionMode } from '../../shared/permission';
import { type AgentTranscript, EMPTY_AGENT, transcriptOfAgent } from '../../shared/transcript';
import { type EventLog, isDurable } from './event-log';
import type { History } from './messages/history';
import { createFileReadState, type FileReadState } from './tools/file-read-state';

/** The parts of an agent that can be changed while it lives. */
export interface AgentConfig {
  readonly model: string;
  readonly effort: string;
  /** The amount of thinking; null: nobody chose, so as much as the model likes. */
  readonly thinking: ThinkingMode | null;
  readonly mode: PermissionMode;
}

/**
 * The state of an agent: its history, config and working directory. It is the first part of an agent that is
 * built, so that every other part can ask it, and the one place through which the agent's events are recorded.
 */
export interface AgentState {
  readonly id: string;
  /** The config with the model that is asked in this mode. */
  readonly config: () => AgentConfig;
  /** The model as it was chosen: it may depend on the mode. */
  readonly chosenModel: () => string;
  readonly history: () => readonly Message[];
  /** Tells whether a message is in the history. */
  readonly has: History['has'];
  /** The edits that counts of the history's tokens need to know. */
  readonly cuts: History['cuts'];
  /** Returns when the model answered last; epoch milliseconds, 0: never. */
  readonly answeredAt: () => number;
  /** The facts that its events amount to. */
  readonly transcript: () => AgentTranscript;
  /** Records an event of this agent. */
  readonly record: (event: AgentEvent) => Stamped;
  /** Changes model, effort, thinking or mode from the next request on. */
  configure(change: Partial<AgentConfig>, by?: ModelSwitch): void;
  /** The folders of its notes, in which it needs no permission. Real paths. */
  readonly ownFolders: readonly string[];
  /** The working directory of its shell calls. Absolute. */
  readonly cwd: { get(): string; set(path: string): void };
  /** The worktree that its shell stays in; null: none. Absolute. */
  readonly worktree: { get(): string | null; set(path: string | null): void };
  readonly reads: FileReadState;
  /** The prompts, by id, in which no mention is looked for. */
  readonly asWritten: Set<string>;
  /** Calls back after the working directory changed. */
  onCwdChanged(listener: (from: string, to: string) => void): void;
  /** Calls back after the model changed. */
  onModelChanged(listener: (from: string, to: string, by: ModelSwitch) => void): void;
  /** Calls back after the mode changed; returns a function that ends it. */
  onModeChanged(listener: (mode: PermissionMode) => void): () => void;
}

/** A choice of another model: the chooser, and the name they gave. */
export interface ModelSwitch {
  readonly source: 'command' | 'picker' | 'sdk' | 'auto';
  readonly requested: string | null;
}

/** The events that change the config. */
const CHANGES: ReadonlySet<AgentEvent['type']> = new Set([
  'model_changed',
  'effort_changed',
  'thinking_changed',
  'mode_changed',
]);

const BY_ITSELF: ModelSwitch = { source: 'auto', requested: null };

export interface AgentStateOptions {
  readonly id: string;
  readonly log: EventLog;
  /** The history so far, when the agent is resumed. The agent folds on. */
  readonly history: History;
  readonly config: AgentConfig;
  /** Returns the id to ask for in a mode. */
  readonly modelInMode: (model: string, mode: PermissionMode) => string;
  readonly cwd: string;
  /** Default: none. */
  readonly worktree?: string | null;
  /** The time of the model's last answer, for a resumed agent. Epoch milliseconds. */
  readonly answeredAt?: number;
  /** Default: none. */
  readonly ownFolders?: readonly string[];
}

/** Creates the state of an agent over the session's log, and records what of its config the log does not know. */
export function createAgentState(options: AgentStateOptions): AgentState {
  const { id, log, history, modelInMode, ownFolders = [], ...initial } = options;
  let { config: chosen, cwd, worktree = null, answeredAt = 0 } = initial;
  /** Answers in the place of an overloaded model until the mode changes or somebody chooses. */
  let standIn: string | null = null;
  const asked = () => ({ ...chosen, model: standIn ?? modelInMode(chosen.model, chosen.mode) });
  let config = asked();
  const cwdListeners: ((from: string, to: string) => void)[] = [];
  const modelListeners: ((from: string, to: string, by: ModelSwitch) => void)[] = [];
  const modeListeners = new Set<(mode: PermissionMode) => void>();

  const record = (event: AgentEvent): Stamped => {
    if (isDurable(event)) history.fold(event);
    if (event.type === 'model_changed') {
      const model = chosenAfter(chosen.model, event);
      standIn = model === event.model ? null : event.model;
      chosen = { ...chosen, model };
    }
    if (event.type === 'effort_changed') chosen = { ...chosen, effort: event.effort };
    if (event.type === 'thinking_changed') chosen = { ...chosen, thinking: event.thinking };
    if (event.type === 'mode_changed') {
      standIn = null;
      chosen = { ...chosen, mode: event.mode };
    }
    if (CHANGES.has(event.type)) config = asked();
    const stamped = log.append(event, id);
    if (event.type === 'message_finished') answeredAt = stamped.at;
    if (event.type === 'mode_changed') for (const listener of modeListeners) listener(event.mode);
    return stamped;
  };
  const recordConfig = (from: Partial<AgentConfig>, to: Partial<AgentConfig>) => {
    const { model, effort, thinking = null, mode } = to;
    if (model !== undefined && model !== from.model) record({ type: 'model_changed', model });
    if (effort !== undefined && effort !== from.effort) record({ type: 'effort_changed', effort });
    if (thinking !== null && !sameThinking(thinking, from.thinking ?? null)) {
      record({ type: 'thinking_changed', thinking });
    }
    if (mode !== undefined && mode !== from.mode) record({ type: 'mode_changed', mode });
  };
  const transcript = () => transcriptOfAgent(log.transcript(), id) ?? EMPTY_AGENT;

  recordConfig(transcript(), chosen);
  return {
    id,
    config: () => config,
    chosenModel: () => chosen.model,
    history: history.messages,
    has: history.has,
    cuts: history.cuts,
    answeredAt: () => answeredAt,
    transcript,
    record,
    ownFolders,
    configure: (change, by = BY_ITSELF) => {
      const from = config.model;
      if (change.model === chosen.model && standIn !== null) {
        standIn = null;
        config = asked();
      }
      recordConfig(chosen, change);
      if (config.model === from) return;
      for (const listener of modelListeners) listener(from, config.model, by);
    },
    cwd: {
      get: () => cwd,
      set: (path) => {
        const from = cwd;
        if (path === from) return;
        cwd = path;
        record({ type: 'cwd_changed', cwd: path });
        for (const listener of cwdListeners) listener(from, path);
      },
    },
    worktree: {
      get: () => worktree,
      set: (path) => {
        worktree = path;
      },
    },
    reads: createFileReadState(),
    asWritten: new Set(),
    onCwdChanged: (listener) => {
      cwdListeners.push(listener);
    },
    onModelChanged: (listener) => {
      modelListeners.push(listener);
    },
    onModeChanged: (listener) => {
      modeListeners.add(listener);
      return () => void modeListeners.delete(listener);
    },
  };
}

const sameThinking = (one: ThinkingMode, other: ThinkingMode | null): boolean =>
  typeof one === 'object' && other !== null && typeof other === 'object'
    ? one.budgetTokens === other.budgetTokens
    : one === other;
