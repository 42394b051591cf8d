import type { AgentEvent } from '../../../shared/agent-event';
import type { HookSetting } from '../../../shared/hooks';
import { createWaker, type Waker } from '../../../shared/waker';
import type { Ids } from '../ports';
import type { SessionHooks } from './session-hooks';
import { decidesDisplay } from './told-facts';

/** A hook cannot make more than this of one text; what comes then is shown as it is. UTF-16 units. */
const MAX_SHOWN = 1_000_000;

/** Asks hooks what of a message is shown, while it comes. Each text of an answer is a message of its own. */
export interface MessageDisplay {
  /** Returns whether text is not to be shown before hooks have answered. */
  holds(): boolean;
  /** Takes an event of the agent, in order. */
  see(event: AgentEvent): void;
  /** Resolves when all text is shown. An abort shows the rest as the model wrote it. Never rejects. */
  settled(signal: AbortSignal): Promise<void>;
}

interface MessageDisplayOptions {
  readonly hooks: Pick<SessionHooks, 'has' | 'holdsText' | 'onDisplay' | 'tellDisplay'>;
  /**
   * `lines`: hooks are asked about lines as they come, which are held back so long; `whole`: about each message once, when it
   * has come; `nothing`: they are told of it then, and nobody waits for what they say.
   */
  readonly asks: 'lines' | 'whole' | 'nothing';
  /** Returns the query that is answered. */
  readonly turnId: () => string;
  readonly ids: Ids;
  readonly record: (event: AgentEvent) => void;
}

/** A text that comes, as far as hooks were not asked about it. */
interface ComingText {
  readonly messageId: string;
  readonly index: number;
  /** It is not on screen yet, and hooks are asked about its lines as they come. */
  readonly held: boolean;
  readonly waker: Waker;
  /** Cancels the hooks that are asked about it. */
  readonly stop: AbortController;
  pending: string;
  /** The length of what was taken. */
  taken: number;
  ended: boolean;
  /** Its answer was given up: nothing of it is shown. */
  voided: boolean;
}

/** Returns the part of a text that hooks can be asked about: whole lines, or all of it at its end. Pure. */
export const nextDelta = (pending: string, ended: boolean, held: boolean): string => {
  if (ended) return pending;
  return held ? pending.slice(0, pending.lastIndexOf('\n') + 1) : '';
};

/** Creates it. One run at a time: what comes meanwhile goes into the next one, so that no queue grows. */
export function createMessageDisplay(options: MessageDisplayOptions): MessageDisplay {
  const { hooks, asks, ids, record } = options;
  const decides = (hook: HookSetting) => asks !== 'nothing' && decidesDisplay(hook);
  const coming = new Map<string, ComingText>();
  let work: Promise<void> = Promise.resolve();

  const take = (text: ComingText): { readonly delta: string; readonly final: boolean } => {
    const delta = nextDelta(text.pending, text.ended, text.held);
    text.pending = text.pending.slice(delta.length);
    text.taken += delta.length;
    return { delta, final: text.ended };
  };

  const display = async (text: ComingText): Promise<void> => {
    const { messageId, index: block, stop } = text;
    const base = { turn_id: options.turnId(), message_id: ids.uuid() };
    let [index, said, shown, isBroken] = [0, '', '', false];
    /** Those that gave no usable answer, with what they were not asked about since: the rest of it is not theirs to hold. */
    const failed = new Map<HookSetting, { readonly index: number; missed: string }>();
    const audience = {
      takes: (hook: HookSetting) => decides(hook) && !failed.has(hook),
      onFailed: (hook: HookSetting) => void failed.set(hook, { index: index + 1, missed: '' }),
    };
    const ask = async (delta: string, final: boolean): Promise<string> => {
      if (isBroken || stop.signal.aborted) return delta;
      try {
        const answer = await hooks.onDisplay(
          { ...base, index, final, delta },
          audience,
          stop.signal,
        );
        return answer === null || shown.length >= MAX_SHOWN ? delta : answer;
      } catch {
        isBroken = true;
        return delta;
      }
    };
    for (;;) {
      await text.waker.wait();
      const { delta, final } = take(text);
      if (text.voided) return;
      if (delta === '' && !final) continue;
      said += delta;
      const isSilent = index === 0 && final && said.trim() === '';
      const before = [...failed];
      for (const [, one] of before) one.missed += delta;
      const now = isSilent ? delta : await ask(delta, final);
      if (text.voided) return;
      index += 1;
      shown += now;
      if (text.held)
        record({ type: 'text_shown', messageId, index: block, text: now, isFinal: final });
      if (!final) continue;
      // Hooks that keep something of each message hear of its end, also when their answers do not count any more.
      for (const [hook, one] of before)
        hooks.tellDisplay(
          { ...base, index: one.index, final, delta: one.missed },
          { takes: (other) => other === hook, knownToFail: true },
        );
      if (!isSilent && !stop.signal.aborted)
        hooks.tellDisplay(
          { ...base, index: 0, final, delta: said },
          { takes: (hook) => !decides(hook) },
        );
      if (shown !== said) record({ type: 'text_replaced', messageId, index: block, text: shown });
      return;
    }
  };

  const begin = (event: Extract<AgentEvent, { type: 'block_started' }>) => {
    const text: ComingText = {
      ...{ messageId: event.messageId, index: event.index, held: event.held === true },
      ...{ waker: createWaker(), stop: new AbortController(), pending: '', taken: 0 },
      ...{ ended: false, voided: false },
    };
    const key = keyOf(event);
    coming.set(key, text);
    const shown = work.then(() => display(text)).catch(() => {});
    work = shown.finally(() => coming.delete(key));
  };

  const end = (text: ComingText) => {
    text.ended = true;
    text.waker.wake();
  };

  return {
    holds: () => asks === 'lines' && hooks.holdsText(),
    see: (event) => {
      if (event.type === 'block_started' && event.kind === 'text' && hooks.has('MessageDisplay'))
        begin(event);
      if (coming.size === 0) return;
      if (event.type === 'block_delta') {
        const text = coming.get(keyOf(event));
        if (text === undefined) return;
        text.pending += event.text;
        if (event.text.includes('\n')) text.waker.wake();
      }
      if (event.type === 'block_finished' && event.block.type === 'text') {
        const text = coming.get(keyOf(event));
        if (text === undefined) return;
        text.pending = event.block.text.slice(text.taken);
        end(text);
      }
      if (event.type === 'tombstone')
        for (const text of coming.values()) {
          if (text.messageId !== event.messageId) continue;
          text.voided = true;
          text.stop.abort();
          end(text);
        }
    },
    settled: async (signal) => {
      // The request is over: a text that has no end by now gets none.
      for (const text of coming.values()) end(text);
      const stop = () => {
        for (const text of coming.values()) text.stop.abort();
      };
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      await work;
      signal.removeEventListener('abort', stop);
    },
  };
}

const keyOf = ({ messageId, index }: { readonly messageId: string; readonly index: number }) =>
  `${messageId}:${index}`;
