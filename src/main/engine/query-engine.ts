import type { AgentEvent, QueryLimits, Stamped } from '../../shared/agent-event';
import { createChannel, passOn } from '../../shared/channel';
import { newQueryFacts } from '../../shared/facts';
import type { Message, ToolUseBlock, UserBlock } from '../../shared/message';
import type { PromptBlock, PromptPriority, QueuedPrompt } from '../../shared/queued-prompt';
import type { DeferredCall } from '../../shared/tool-call';
import type { AgentConfig, AgentState } from './agent-state';
import { withOutputFit } from './context/limits';
import { summarisesAt } from './context/pipeline';
import { isUnpriced, price, unpricedNotice } from './cost/price';
import { measureContext } from './loop/prepare-turn';
import { createPromptQueue, type PromptChange, type PromptQueue } from './loop/prompt-queue';
import type { QueryDeps } from './loop/query-deps';
import { type Prompt, pendingCall, type Resumed, runQuery } from './loop/run-query';
import { type Act, actNow, compactNow, runShellLine } from './loop/turnless-query';
import { createUniqueIds, type UniqueIds } from './messages/unique-ids';
import type { ModelClient } from './model/model-client';
import { createPause, type Pause } from './model/retry';
import type { QueryEngineOptions } from './query-engine/options';
import type { CallExecutor } from './tools/streaming-executor';

/**
 * Runs the queries of one agent, one at a time (docs/spec.md A1). Everything it does is an event in the log; `submit`
 * yields the events of one query, so that any host can show each step and stop it at any moment.
 */
export class QueryEngine {
  readonly #options: QueryEngineOptions;
  readonly #model: ModelClient;
  readonly #prompts: PromptQueue;
  readonly #pause: Pause;
  readonly #uniqueIds: UniqueIds;
  readonly #state: AgentState;
  #running: AbortController | null = null;
  /** The work that goes on beside queries, and what stops it. */
  readonly #beside = new Set<Promise<void>>();
  #besideStop = new AbortController();
  #executor: CallExecutor | null = null;
  #hookStop: string | null = null;
  #toldUnpriced = false;
  #deferred: DeferredCall | null;
  /** The dollars that counted against limits, and those that were left, before the running query. */
  #before: { readonly usd: number; readonly left: number | null } = { usd: 0, left: null };

  constructor(options: QueryEngineOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#uniqueIds = createUniqueIds(options.state, options.ids, options.callIds);
    this.#deferred = options.deferred ?? null;
    if (this.#deferred !== null) options.callIds.add(this.#deferred.id);
    this.#model = withOutputFit(options.model);
    this.#pause = createPause(options.clock);
    this.#prompts = createPromptQueue(options.ids, this.record, options.waiting);
  }

  get config(): AgentConfig {
    return this.#state.config();
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** The call that a hook deferred; the next query takes it up. */
  get deferred(): DeferredCall | null {
    return pendingCall(this.#deferred, this.#state.history()) && this.#deferred;
  }

  /** The prompts that wait, in the order they will go in. */
  get queue(): readonly QueuedPrompt[] {
    return this.#prompts.list();
  }

  /**
   * Runs one query. Null goes on without words of the user (a task has news); `promptId` names those words. Throws
   * when a query runs already: that is the host's mistake; `enqueue` is for that. `calls` are made before the model is asked.
   */
  submit(
    prompt: string | readonly UserBlock[] | null,
    promptId?: string,
    calls?: readonly Pick<ToolUseBlock, 'name' | 'input'>[],
  ): AsyncIterable<Stamped> {
    const content = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt;
    const { model } = this.config;
    const asked = calls === undefined ? {} : { calls: calls.map((call) => ({ ...call, model })) };
    return this.#query(content === null ? null : { id: promptId, content, ...asked }, null);
  }

  /**
   * Goes on where a query was stopped; the model is told. After a limit of turns or money, with limits as at the beginning;
   * after a restart, when the wait that was cut is over; after a failure of the API by asking again. Like `submit`, it throws when a query runs.
   */
  continueWork(resumed: Resumed = { reason: 'limit_lifted' }): AsyncIterable<Stamped> {
    return this.#query(null, resumed);
  }

  #query(prompt: Prompt | null, resumed: Resumed | null): AsyncIterable<Stamped> {
    return this.#alone(async (deps, signal) => {
      const queryId = this.#options.ids.next('qry');
      const pending = pendingCall(this.#deferred, this.#state.history());
      this.#deferred = null;
      const read = this.#options.spending.refresh();
      if (read !== null) await read;
      if (resumed?.reason === 'limit_lifted') this.#options.spending.restart();
      const query = { queryId, prompt, pending, resumed, limits: this.#limitsLeft() };
      return runQuery(query, deps, signal);
    });
  }

  /**
   * Summarises the conversation (docs/spec.md F7); `focus` is what is to be kept above all. Like `submit`, it throws when
   * a query runs; `interrupt` stops it.
   */
  compact(focus?: string): AsyncIterable<Stamped> {
    return this.#alone((deps, signal) => {
      const queryId = this.#options.ids.next('qry');
      return compactNow({ queryId, focus, limits: this.#limitsLeft() }, deps, signal);
    });
  }

  /** Runs an act of the user as a query without turns. Like `submit`, it throws when a query runs. */
  act(work: Act): AsyncIterable<Stamped> {
    return this.#alone((deps, signal) => actNow(this.#options.ids.next('qry'), work, deps, signal));
  }

  /** Counts what the next request would send, where no request has told it. A running query tells it by itself. */
  async measure(): Promise<void> {
    if (this.#running !== null || this.#state.transcript().context?.parts !== undefined) return;
    await measureContext(
      this.#deps(async () => {}),
      this.#besideStop.signal,
    );
  }

  /** Runs a shell line of the user; the call and its result stand in the conversation. */
  shell(command: string, promptId?: string): AsyncIterable<Stamped> {
    return this.act(runShellLine(command, this.#state.config().model, promptId));
  }

  /**
   * Stops the running query; its history stays valid. False when none runs. With `ending` its processes get less
   * time to come down, because whoever runs us waits (docs/spec.md G4).
   */
  interrupt(why: 'stopped' | 'ending' = 'stopped'): boolean {
    this.#running?.abort(why);
    this.#stopBeside(why);
    return this.#running !== null;
  }

  /** Stops what goes on beside queries, and waits until it has come down. */
  async close(): Promise<void> {
    this.#stopBeside('ending');
    await Promise.all(this.#beside);
  }

  #stopBeside(why: string): void {
    this.#besideStop.abort(why);
    this.#besideStop = new AbortController();
  }

  readonly #runBeside = (work: (signal: AbortSignal) => Promise<void>): void => {
    const running = work(this.#besideStop.signal).finally(() => this.#beside.delete(running));
    this.#beside.add(running);
  };

  /** Tells whether twice what a request costs at most is left: others are paid meanwhile. */
  readonly #affords = (inputTokens: number, outputTokens: number): boolean => {
    const left = this.#options.spending.left();
    if (left === null) return true;
    const usage = {
      inputTokens: 0,
      outputTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: inputTokens,
    };
    return 2 * price(usage, this.config.model) < left;
  };

  /**
   * Puts a prompt in the queue of the running query; `now` cuts the running turn, so that it goes in at once. Null
   * when the queue is full.
   */
  enqueue(
    text: string,
    priority: PromptPriority,
    blocks?: readonly PromptBlock[],
    promptId?: string,
  ): QueuedPrompt | null {
    return this.#prompts.enqueue(text, priority, blocks, promptId);
  }

  /** Edits, moves or reprioritises a waiting prompt; false when it no longer waits. */
  changeQueued(promptId: string, change: PromptChange): boolean {
    return this.#prompts.change(promptId, change);
  }

  /** Holds what waits now, so that nothing of it goes in by itself, or lets it go in. */
  holdQueue(held: boolean): void {
    if (held) this.#prompts.hold();
    else this.#prompts.release();
  }

  /** Keeps a waiting prompt, and what is behind it, while a user edits it. Returns what ends that. */
  editQueued(promptId: string): () => void {
    return this.#prompts.edit(promptId);
  }

  /** The waiting prompt whose turn it is. */
  get due(): QueuedPrompt | null {
    return this.#prompts.due();
  }

  /** Takes a prompt out of the queue; null when it is no longer there. */
  takeBack(promptId: string): QueuedPrompt | null {
    return this.#prompts.takeBack(promptId);
  }

  /** Takes a prompt out of the queue to submit it; null when it is no longer there. */
  takeToSend(promptId: string): QueuedPrompt | null {
    return this.#prompts.take(promptId);
  }

  /** Ends the pause before the next try of a request; false when there is none. */
  retryNow(): boolean {
    return this.#pause.hurry();
  }

  /** Moves a running call to the background; false when it is not running. */
  background(callId: string): boolean {
    return this.#executor?.background(callId) ?? false;
  }

  /** Stops one call; the others of its response and the query go on. False when it has its result already. */
  cancelCall(callId: string): boolean {
    return this.#executor?.cancel(callId) ?? false;
  }

  /** Changes model, effort, thinking or mode from the next request on. */
  configure(change: Partial<AgentConfig>): void {
    this.#state.configure(change);
  }

  /** Records an event of this agent, from wherever it came. */
  readonly record = (event: AgentEvent): Stamped => {
    const stamped = this.#state.record(event);
    if (!this.#toldUnpriced && isUnpriced(event) && this.#options.spending.left() !== null) {
      this.#toldUnpriced = true;
      this.#state.record(unpricedNotice(event.model));
    }
    return stamped;
  };

  /**
   * One piece of work at a time, that can be interrupted. Yields all that is recorded while it goes on: its own events, and
   * those of approvals, tasks and the user. A slow consumer slows the work.
   */
  #alone(start: (deps: QueryDeps, signal: AbortSignal) => Promise<void>): AsyncIterable<Stamped> {
    return passOn(() => {
      if (this.#running) throw new Error('A query is running already.');
      const abort = new AbortController();
      this.#running = abort;
      this.#hookStop = null;
      const channel = createChannel<Stamped>();
      const unlisten = this.#options.listen(channel.push);
      const work = start(this.#deps(channel.room), abort.signal).finally(channel.close);
      return {
        source: channel,
        end: async () => {
          unlisten();
          abort.abort();
          await work;
          this.#running = null;
          this.#executor = null;
        },
      };
    });
  }

  /** Returns what is left: the budget is for everything since the user lifted it last, not for each query anew. */
  #limitsLeft(): QueryLimits {
    const { limits, spending } = this.#options;
    const left = spending.left();
    this.#before = { usd: spending.usd(), left };
    return { maxTurns: limits().maxTurns, maxBudgetUsd: left === null ? null : Math.max(0, left) };
  }

  /** Returns the dollars by which the limits came nearer since the query began: other sessions may spend of a day's too. */
  #spentUsd(): number {
    const { usd, left } = this.#before;
    const { spending } = this.#options;
    const now = spending.left();
    return left === null || now === null ? spending.usd() - usd : left - now;
  }

  #compactDeps() {
    const { buildRequest, restore = async () => [], maxOutput, clock, ids } = this.#options;
    return {
      model: this.#model,
      buildRequest: async (history: readonly Message[], signal: AbortSignal) => ({
        ...(await buildRequest(history, this.#state.config(), signal)),
        pause: this.#pause.wait,
      }),
      maxOutput,
      pinned: () => new Set(this.#state.transcript().pins),
      restore,
      hooks: this.#options.compactHooks,
      clock,
      ids,
    };
  }

  readonly #defer = (call: DeferredCall): void => {
    this.#deferred = call;
  };

  #takeHookStop(): string | null {
    const reason = this.#hookStop;
    this.#hookStop = null;
    return reason;
  }

  #deps(room: () => Promise<void>): QueryDeps {
    const options = this.#options;
    return {
      ...this.#compactDeps(),
      createExecutor: (emit, signal, { byUser } = { byUser: false }) => {
        this.#executor = options.createExecutor({
          emit,
          signal,
          byUser,
          onDenied: (denial) => this.record({ type: 'call_denied', denial }),
          onHookStop: (reason) => {
            this.#hookStop ??= reason;
          },
          onDeferred: this.#defer,
        });
        return this.#executor;
      },
      record: this.record,
      beside: this.#runBeside,
      affords: this.#affords,
      pause: this.#pause.wait,
      room,
      spentUsd: () => this.#spentUsd(),
      outOfMoney: options.spending.why,
      facts: () => this.#state.transcript().query ?? newQueryFacts(''),
      history: this.#state.history,
      cuts: this.#state.cuts,
      answeredAt: this.#state.answeredAt,
      inputPrices: options.inputPrices,
      uniqueIds: this.#uniqueIds,
      attachments: (signal) => options.attachments(this.#state.history(), signal),
      takeQueued: this.#prompts.takeQueued,
      queuedCount: this.#prompts.waiting,
      startTurn: this.#prompts.startTurn,
      admit: options.admit,
      stopHooks: options.stopHooks ?? (async () => ({ kind: 'pass' })),
      batchHooks: options.batchHooks,
      failureHooks: options.failureHooks,
      display: options.display,
      deferred: () => this.#deferred,
      defer: this.#defer,
      offers: options.offers ?? (() => true),
      takeHookStop: () => this.#takeHookStop(),
      layers: options.layers,
      summarisesAt: (limits) => summarisesAt(options.layers, limits),
      contextWindow: options.contextWindow,
      autocompactWindow: () => options.autocompact?.().windowTokens,
      counted: new WeakMap(),
      denials: options.denials,
    };
  }
}
