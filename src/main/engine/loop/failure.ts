import type { Terminal } from '../../../shared/turn';
import { failureName } from '../model/errors';
import type { Answer } from './turn-reader';

/** Why a query could not go on: `kind` as hooks name it (CONVENTIONS 4), and the words of the API. */
export interface Failure {
  readonly kind: string;
  readonly details: string;
}

const FAILED: ReadonlySet<Terminal> = new Set(['model_error', 'image_error', 'prompt_too_long']);

/** The failure of the API that ended a query; null when something else did. Pure. */
export function failureOf(
  terminal: Terminal,
  { error, stopReason }: Pick<Answer, 'error' | 'stopReason'>,
): Failure | null {
  if (!FAILED.has(terminal)) return null;
  if (error !== null) return { kind: failureName(error.kind), details: error.message };
  if (terminal === 'prompt_too_long') return { kind: 'invalid_request', details: terminal };
  if (stopReason === 'max_tokens') return { kind: 'max_output_tokens', details: stopReason };
  return null;
}
