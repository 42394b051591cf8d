import type { HeadlessSession } from '../../app/headless-session';
import type { Printer, PrinterParts } from './printer';

/** The suggestions of what to say next, at most one behind each answer. */
export interface Suggestions {
  /** A prompt was answered; badly: nothing is suggested. */
  answered(well: boolean): void;
  /** Gives up what is not suggested yet: the next prompt is there. */
  drop(): Promise<void>;
  /** Resolves when no suggestion comes any more. */
  end(ending: AbortSignal): Promise<void>;
}

type Stamped = Pick<HeadlessSession, 'sessionId'>;
type Out = Pick<Printer, 'control'>;
type Ids = Pick<PrinterParts, 'uuid'>;

/** Suggests to a program what the user may say next, from the second answer on. */
export function createSuggestions(
  session: Stamped & Pick<HeadlessSession, 'suggestPrompt'>,
  printer: Out,
  { uuid }: Ids,
): Suggestions {
  let answers = 0;
  let late = new AbortController();
  let asking: Promise<void> = Promise.resolve();
  const suggest = async (signal: AbortSignal) => {
    const suggestion = await session.suggestPrompt(signal);
    if (suggestion === null || signal.aborted) return;
    const stamp = { uuid: uuid(), session_id: session.sessionId };
    await printer.control({ type: 'prompt_suggestion', suggestion, ...stamp });
  };
  const drop = async () => {
    late.abort();
    await asking;
  };
  return {
    answered: (well) => {
      answers += 1;
      if (!well || answers < 2) return;
      late = new AbortController();
      asking = suggest(late.signal).catch(() => {});
    },
    drop,
    end: async (ending) => {
      const stop = () => late.abort();
      if (ending.aborted) stop();
      ending.addEventListener('abort', stop, { once: true });
      await asking;
      ending.removeEventListener('abort', stop);
    },
  };
}

/** Tells a program now and then in words what each running sub-agent does; gives a function that ends it. */
export const tellProgress = (
  session: Stamped & Pick<HeadlessSession, 'onProgress'>,
  printer: Out,
  { uuid }: Ids,
): (() => void) =>
  session.onProgress(
    ({ taskId, callId, title, type, summary, tokens, calls, lastTool, tookMs }) => {
      printer
        .control({
          ...{ type: 'system', subtype: 'task_progress', task_id: taskId, tool_use_id: callId },
          ...{ description: title, subagent_type: type, summary },
          usage: { total_tokens: tokens, tool_uses: calls, duration_ms: tookMs },
          ...(lastTool === undefined ? {} : { last_tool_name: lastTool }),
          ...{ uuid: uuid(), session_id: session.sessionId },
        })
        .catch(() => {});
    },
  );

/** Tells a program in a few words what the calls of each response came to; gives a function that waits for the last ones. */
export const tellCalls = (
  session: Stamped & Pick<HeadlessSession, 'summariseCalls'>,
  printer: Out,
  { uuid }: Ids,
  signal: AbortSignal,
): (() => Promise<void>) =>
  session.summariseCalls(({ summary, callIds }) => {
    printer
      .control({
        ...{ type: 'tool_use_summary', summary, preceding_tool_use_ids: callIds },
        ...{ uuid: uuid(), session_id: session.sessionId },
      })
      .catch(() => {});
  }, signal).end;
