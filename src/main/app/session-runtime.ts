import type { PromptPriority } from '../../shared/agent-event';
import type { ApprovalAnswer } from '../../shared/permission';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { Broker } from '../engine/permissions/broker';
import type { QueryEngine } from '../engine/query-engine';
import { titleFromPrompt } from '../engine/sessions/list';
import type { OpenSession } from './session-factory';

/**
 * An open session of a window: runs one query after another, feeds queued prompts and task news to the engine,
 * and never lets a failure of ours end in silence.
 */
export interface SessionRuntime {
  readonly session: OpenSession;
  submit(text: string, priority: PromptPriority | undefined): Promise<Result<null>>;
  stop(): Result<null>;
  takeBack(promptId: string): Result<string>;
  answer(approvalId: string, answer: ApprovalAnswer): Result<null>;
  background(callId: string): Result<null>;
  /** Ends the query and every task, flushes the log. */
  close(): Promise<void>;
}

export interface SessionRuntimeOptions {
  readonly session: OpenSession;
  readonly broker: Broker;
  /** Brings settings and connection up to date before a query; says why it cannot start. */
  readonly prepare: () => Promise<Result<null, Fault>>;
}

/** Wraps an open session. */
export function createSessionRuntime(options: SessionRuntimeOptions): SessionRuntime {
  const { session, broker } = options;
  const engine: QueryEngine = session.engine;
  let pumping: Promise<void> | null = null;
  let stopped = false;

  const pump = async (first: string | null): Promise<void> => {
    let prompt: string | null | undefined = first;
    while (prompt !== undefined) {
      stopped = false;
      await runOne(prompt);
      prompt = nextPrompt();
    }
  };

  const runOne = async (prompt: string | null): Promise<void> => {
    try {
      for await (const _ of engine.submit(prompt)) {
        // The log already has each event and tells its subscribers.
      }
    } catch (thrown) {
      engine.record({
        type: 'notice',
        level: 'error',
        code: 'internal_error',
        text: `Something in Lathe broke: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        fix: 'The conversation is kept. Send your message again; if it happens again, please report it.',
      });
    }
  };

  /** What to go on with: a steering prompt always; others only when the person did not press stop. */
  const nextPrompt = (): string | null | undefined => {
    const [queued] = engine.queue;
    if (queued && (!stopped || queued.priority === 'now')) {
      engine.takeBack(queued.id);
      return queued.text;
    }
    return !stopped && session.tasks.hasNotifications() ? null : undefined;
  };

  const start = (prompt: string | null) => {
    pumping = pump(prompt).finally(() => {
      pumping = null;
    });
  };

  session.tasks.onNotification(() => {
    if (pumping === null) start(null);
  });

  return {
    session,
    submit: async (text, priority) => {
      if (pumping !== null) return enqueue(engine, text, priority ?? 'next');
      const ready = await options.prepare();
      if (!ready.ok) return ready;
      if (session.log.transcript().title === '') {
        engine.record({ type: 'title_changed', title: titleFromPrompt(text) });
      }
      if (pumping !== null) return enqueue(engine, text, priority ?? 'next');
      start(text);
      return ok(null);
    },
    stop: () => {
      stopped = true;
      return engine.interrupt() ? ok(null) : err(fault('not_running', 'Nothing is running.'));
    },
    takeBack: (promptId) => {
      const prompt = engine.takeBack(promptId);
      return prompt ? ok(prompt.text) : err(fault('gone', 'That message was already sent.'));
    },
    answer: (approvalId, answer) =>
      broker.answer(approvalId, answer)
        ? ok(null)
        : err(fault('gone', 'That question was already answered.')),
    background: (callId) =>
      engine.background(callId)
        ? ok(null)
        : err(fault('not_running', 'That command is no longer running.')),
    close: async () => {
      stopped = true;
      engine.interrupt();
      await pumping;
      await session.close();
    },
  };
}

function enqueue(engine: QueryEngine, text: string, priority: PromptPriority): Result<null> {
  if (engine.enqueue(text, priority) === null) {
    return err(fault('queue_full', 'Too many messages are waiting.', 'Take some back first.'));
  }
  if (priority === 'now') engine.interrupt();
  return ok(null);
}
