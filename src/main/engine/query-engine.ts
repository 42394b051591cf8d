import type { AgentEvent, PromptPriority, QueuedPrompt, Stamped } from '../../shared/agent-event';
import { createChannel } from '../../shared/channel';
import type { Message, UserBlock } from '../../shared/message';
import type { PermissionDenial, PermissionMode } from '../../shared/permission';
import { type EventLog, isDurable } from './event-log';
import { enqueue, goesBetweenTurns, takeBetweenTurns } from './loop/prompt-queue';
import type { Attachment, QueryDeps, QueryLimits } from './loop/query-deps';
import { runQuery } from './loop/run-query';
import { foldHistory } from './messages/history';
import type { ModelClient, ModelRequest } from './model/model-client';
import type { Clock, Ids } from './ports';
import type { CallExecutor } from './tools/streaming-executor';

/** What can be changed while a session lives. */
export interface SessionConfig {
  readonly model: string;
  readonly effort: string;
  readonly mode: PermissionMode;
}

/** What the engine gives the executor of one response. */
export interface ExecutorHooks {
  readonly emit: (event: AgentEvent) => void;
  readonly onDenied: (denial: PermissionDenial) => void;
  readonly signal: AbortSignal;
}

export interface QueryEngineOptions {
  readonly log: EventLog;
  /** What was said before, when a session is resumed. */
  readonly history: readonly Message[];
  readonly config: SessionConfig;
  readonly limits: QueryLimits;
  readonly model: ModelClient;
  readonly buildRequest: (
    history: readonly Message[],
    config: SessionConfig,
    signal: AbortSignal,
  ) => Promise<ModelRequest>;
  readonly createExecutor: (hooks: ExecutorHooks) => CallExecutor;
  readonly attachments: () => Promise<readonly Attachment[]>;
  readonly contextWindow: (model: string) => number;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * One session's agent (SPEC A1). Everything it does is an event in its log; `submit` yields the events of one query,
 * so that any host can show each step and stop it at any moment. One query runs at a time.
 */
export class QueryEngine {
  readonly #options: QueryEngineOptions;
  #config: SessionConfig;
  #history: readonly Message[];
  #queue: readonly QueuedPrompt[] = [];
  #denials: PermissionDenial[] = [];
  #running: AbortController | null = null;
  #executor: CallExecutor | null = null;
  #spentUsd = 0;

  constructor(options: QueryEngineOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#history = options.history;
  }

  get config(): SessionConfig {
    return this.#config;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Whether a prompt waits that should start a query of its own once none runs. */
  get queue(): readonly QueuedPrompt[] {
    return this.#queue;
  }

  /**
   * Runs one query. Null goes on without words of the person (a task has news). Throws when a query runs already:
   * that is the host's mistake; `enqueue` is for that.
   */
  async *submit(prompt: string | readonly UserBlock[] | null): AsyncGenerator<Stamped, void> {
    if (this.#running) throw new Error('A query is running already.');
    const abort = new AbortController();
    this.#running = abort;
    this.#denials = [];
    const content = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt;
    try {
      const queryId = this.#options.ids.next('qry');
      const query = { queryId, content, limits: this.#limitsLeft() };
      yield* this.#everything(runQuery(query, this.#deps(), abort.signal));
    } finally {
      abort.abort();
      this.#running = null;
      this.#executor = null;
    }
  }

  /**
   * Stops the running query; its history stays valid. False when none runs. With `ending` its processes get less
   * time to come down, because whoever runs us waits (SPEC G4).
   */
  interrupt(why: 'stopped' | 'ending' = 'stopped'): boolean {
    this.#running?.abort(why);
    return this.#running !== null;
  }

  /** Puts a prompt in the queue of the running query. Null when the queue is full. */
  enqueue(text: string, priority: PromptPriority): QueuedPrompt | null {
    const prompt = { id: this.#options.ids.next('msg'), text, priority };
    const queue = enqueue(this.#queue, prompt);
    if (queue === null) return null;
    this.#setQueue(queue);
    return prompt;
  }

  /** Takes a prompt out of the queue; null when it is no longer there. */
  takeBack(promptId: string): QueuedPrompt | null {
    const prompt = this.#queue.find((p) => p.id === promptId) ?? null;
    if (prompt) this.#setQueue(this.#queue.filter((p) => p.id !== promptId));
    return prompt;
  }

  /** Moves a running call to the background; false when it is not running. */
  background(callId: string): boolean {
    return this.#executor?.background(callId) ?? false;
  }

  /** Changes model, effort or mode from the next request on. */
  configure(change: Partial<SessionConfig>): void {
    const { model, effort, mode } = change;
    if (model !== undefined && model !== this.#config.model) {
      this.record({ type: 'model_changed', model });
    }
    if (effort !== undefined && effort !== this.#config.effort) {
      this.record({ type: 'effort_changed', effort });
    }
    if (mode !== undefined && mode !== this.#config.mode) {
      this.record({ type: 'mode_changed', mode });
    }
  }

  /** Records an event of this session, from wherever it came. */
  readonly record = (event: AgentEvent): Stamped => {
    if (isDurable(event)) this.#history = foldHistory(this.#history, event);
    if (event.type === 'message_finished') this.#spentUsd += event.costUsd;
    if (event.type === 'model_changed') this.#config = { ...this.#config, model: event.model };
    if (event.type === 'effort_changed') this.#config = { ...this.#config, effort: event.effort };
    if (event.type === 'mode_changed') this.#config = { ...this.#config, mode: event.mode };
    return this.#options.log.append(event);
  };

  /**
   * All that is recorded while a query runs: its own events, and those of approvals, tasks and the person.
   * A slow consumer slows the query.
   */
  async *#everything(query: AsyncGenerator<Stamped, unknown>): AsyncGenerator<Stamped, void> {
    const channel = createChannel<Stamped>();
    const unlisten = this.#options.log.listen(channel.pushNow);
    const drive = async () => {
      for await (const _ of query) await channel.room();
    };
    const driving = drive().finally(channel.close);
    try {
      yield* channel;
    } finally {
      unlisten();
      this.#running?.abort();
      await driving;
    }
  }

  /** The budget is for everything this engine does, not for each query anew. */
  #limitsLeft(): QueryLimits {
    const { maxTurns, maxBudgetUsd } = this.#options.limits;
    const left = maxBudgetUsd === null ? null : Math.max(0, maxBudgetUsd - this.#spentUsd);
    return { maxTurns, maxBudgetUsd: left };
  }

  #setQueue(queue: readonly QueuedPrompt[]): void {
    this.#queue = queue;
    this.record({ type: 'queue_changed', queue });
  }

  #deps(): QueryDeps {
    const options = this.#options;
    return {
      model: options.model,
      buildRequest: (history, signal) => options.buildRequest(history, this.#config, signal),
      createExecutor: (emit, signal) => {
        const onDenied = (denial: PermissionDenial) => this.#denials.push(denial);
        this.#executor = options.createExecutor({ emit, onDenied, signal });
        return this.#executor;
      },
      record: this.record,
      history: () => this.#history,
      attachments: options.attachments,
      takeQueued: () => {
        const { taken, rest } = takeBetweenTurns(this.#queue);
        if (taken.length > 0) this.#setQueue(rest);
        return taken;
      },
      queuedCount: () => this.#queue.filter(goesBetweenTurns).length,
      contextWindow: options.contextWindow,
      denials: () => this.#denials,
      clock: options.clock,
      ids: options.ids,
    };
  }
}
