import { z } from 'zod';
import type { DrivingProgram } from '../../app/headless-session';
import type { Clock } from '../../engine/ports';
import type { ProgramLink } from './program-link';

/** The dialog that asks whether another model may answer a prompt that one declined. */
const REFUSAL_DIALOG = 'refusal_fallback_prompt';

/** A dialog that nobody answers is taken back then. Milliseconds. */
const DEADLINE_MS = 5 * 60_000;

const Reply = z.discriminatedUnion('behavior', [
  z.looseObject({ behavior: z.literal('completed'), result: z.unknown() }),
  z.looseObject({ behavior: z.literal('cancelled') }),
]);

/**
 * Creates what asks the program that drives Lathe whether another model may stand in, in the form that programs of the
 * ecosystem answer; nothing for a program that does not name this dialog in `kinds`. No usable answer lets the refusal
 * stand.
 */
export const createProgramDialogs = (
  link: Pick<ProgramLink, 'ask'>,
  clock: Pick<Clock, 'sleep'>,
  kinds: readonly string[],
): Pick<DrivingProgram, 'askStandIn'> =>
  !kinds.includes(REFUSAL_DIALOG)
    ? {}
    : {
        askStandIn: async ({ from, to, refusal }, signal) => {
          const { category, explanation } = refusal;
          const advice = `${to} can be asked in its place, or the prompt be put in other words.`;
          const payload = {
            ...{ originalModel: from, fallbackModel: to, apiRefusalCategory: category },
            guidanceText: [`${from} declined to answer.`, explanation ?? [], advice]
              .flat()
              .join(' '),
            // An answer is printed when nothing can take it back any more.
            retractedMessageUuids: [],
          };
          const over = new AbortController();
          const late = AbortSignal.any([signal, over.signal]);
          const watch = new AbortController();
          clock.sleep(DEADLINE_MS, watch.signal).then(
            () => over.abort(),
            () => {},
          );
          const request = { subtype: 'request_user_dialog', dialog_kind: REFUSAL_DIALOG, payload };
          const answer = await link.ask(request, late);
          watch.abort();
          const reply = Reply.safeParse(answer.ok ? answer.value : null);
          if (!reply.success || reply.data.behavior === 'cancelled') return 'refused';
          if (reply.data.result === 'retry_fallback') return 'retry';
          return reply.data.result === 'edit_prompt' ? 'edit' : 'refused';
        },
      };
