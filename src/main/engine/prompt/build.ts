import type { SystemText } from '../model/model-client';
import { computeSections, type Section, type SectionCache } from './section';
import { SIMPLE_PROMPT, STATIC_SECTIONS } from './static-sections';

/** What the system prompt is made of. The strongest of override, coordinator, agent, custom, default wins. */
export interface SystemPromptInput {
  /** Replaces everything but `append`. */
  readonly override?: string;
  /** A coordinator's prompt, in the place of the static part. */
  readonly coordinator?: string;
  /** An agent definition's body, in the place of the static part. */
  readonly agent?: string;
  /** `--system-prompt`, in the place of the static part. */
  readonly custom?: string;
  /** `--append-system-prompt`: always last. */
  readonly append?: string;
  /** A prompt of a few lines. */
  readonly simple?: boolean;
  /** The dynamic sections, after the boundary. */
  readonly sections: readonly Section[];
  readonly cache: SectionCache;
}

/**
 * Builds the system prompt: one text for the static part (the same bytes in every session), one for the
 * rest. The border between the two is the dynamic boundary; `placeCacheBreakpoints` marks the end of each.
 */
export async function buildSystemPrompt(
  input: SystemPromptInput,
  signal: AbortSignal,
): Promise<readonly SystemText[]> {
  if (input.override !== undefined) return texts(input.override, join([input.append]));
  const fixed = input.coordinator ?? input.agent ?? input.custom ?? defaultPrompt(input.simple);
  const dynamic = await computeSections(input.sections, input.cache, signal);
  return texts(fixed, join([...dynamic, input.append]));
}

const defaultPrompt = (simple = false): string =>
  simple ? SIMPLE_PROMPT : join(STATIC_SECTIONS.map((s) => s.text));

const join = (parts: readonly (string | undefined)[]): string =>
  parts
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .join('\n\n');

const texts = (...parts: readonly string[]): readonly SystemText[] =>
  parts.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text }));
