import type { Message } from '../../../shared/message';
import type { ApiMessage } from '../model/model-client';
import { toApiMessages } from './api-blocks';
import { capImages, MAX_IMAGES } from './image-cap';
import { wrapReminder } from './reminder';
import { repairHistory } from './repair';
import { repairServerTools } from './server-tools';

export interface NormalizeOptions {
  /** The model that will read it; thinking of any other model is left out. */
  readonly model: string;
  /** User context (SPEC B4): goes first, inside a reminder. Must not change within a session. */
  readonly context?: string;
  /**
   * Id of the first message made behind today's system prompt, tools and context, e.g. the first one after a
   * resume. Thinking before it is bound to another prefix and is left out; null: all of it.
   */
  readonly freshFrom?: string | null;
  readonly maxImages?: number;
}

/**
 * The history as the API wants it (SPEC B5, B7): only what follows the last boundary, whose summary opens
 * it; attachments as reminders; strict alternation; every tool use with exactly one result. Pure.
 */
export function normalizeMessages(
  history: readonly Message[],
  options: NormalizeOptions,
): readonly ApiMessage[] {
  const recent = sinceBoundary(history);
  const { model, context = '' } = options;
  const rule = { model, freshAt: freshAt(recent, options.freshFrom) };
  const opening: readonly ApiMessage[] =
    context.trim() === ''
      ? []
      : [{ role: 'user', content: [{ type: 'text', text: wrapReminder(context) }] }];
  const repaired = repairHistory([...opening, ...toApiMessages(recent, rule)]);
  return capImages(repairServerTools(repaired), options.maxImages ?? MAX_IMAGES);
}

/** What is sent: the last boundary and all after it; without a boundary everything. */
export const sinceBoundary = (history: readonly Message[]): readonly Message[] =>
  history.slice(
    Math.max(
      0,
      history.findLastIndex((m) => m.role === 'boundary'),
    ),
  );

/**
 * The place of the first message whose thinking still fits: after a resume, and after the tail that a
 * compaction kept behind its summary.
 */
function freshAt(recent: readonly Message[], freshFrom: string | null | undefined): number {
  if (freshFrom === null) return recent.length;
  const [first] = recent;
  const kept = first?.role === 'boundary' ? first.keptUntil : undefined;
  const afterTail = kept === undefined ? 0 : recent.findIndex((m) => m.id === kept) + 1;
  const afterResume = recent.findIndex((m) => m.id === freshFrom);
  return Math.max(afterTail, afterResume);
}
