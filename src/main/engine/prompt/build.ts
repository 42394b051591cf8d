import type { SystemText } from '../model/model-client';
import type { NamedText, SectionRegistry } from './section';
import { CODING_SECTIONS, SIMPLE_PROMPT, STATIC_SECTIONS } from './static-sections';

/** What the system prompt is made of. The strongest of override, coordinator, agent, custom, default wins. */
export interface SystemPromptInput {
  /** Replaces everything but `append`. */
  readonly override?: string | undefined;
  /** A coordinator's prompt, in the place of the static part. */
  readonly coordinator?: string | undefined;
  /** An agent definition's body, in the place of the static part. */
  readonly agent?: string | undefined;
  /** `--system-prompt`, in the place of the static part. */
  readonly custom?: string | undefined;
  /** `--append-system-prompt`: always last. */
  readonly append?: string | undefined;
  /** Leaves the instructions for coding work out: the output style has its own. */
  readonly withoutCoding?: boolean | undefined;
  /** A prompt of a few lines in the place of the static part. */
  readonly simple?: boolean | undefined;
  /** The model that reads it. */
  readonly model: string;
  /** The dynamic sections, after the boundary. */
  readonly registry: SectionRegistry;
}

/** A system prompt: as it is sent, and piece by piece. */
export interface SystemPrompt {
  /** One text for the static part (the same bytes in every session), one for the rest; empty ones are left out. */
  readonly texts: readonly SystemText[];
  /** What it was joined from, in order, so that a change can be named. */
  readonly sections: readonly NamedText[];
}

/**
 * Builds the system prompt. The border between its two texts is the dynamic boundary;
 * `placeCacheBreakpoints` marks the end of each.
 */
export async function buildSystemPrompt(
  input: SystemPromptInput,
  signal: AbortSignal,
): Promise<SystemPrompt> {
  const fixed = fixedSections(input);
  const dynamic =
    input.override === undefined ? await input.registry.compute(input.model, signal) : [];
  const rest = [...dynamic, ...one('append', input.append)];
  return { texts: [fixed, rest].flatMap(joined), sections: [...fixed, ...rest] };
}

/** The part before the dynamic boundary. Here is the order of precedence (SPEC B2). */
function fixedSections(input: SystemPromptInput): readonly NamedText[] {
  const { override, coordinator, agent, custom } = input;
  if (override !== undefined) return one('override', override);
  if (coordinator !== undefined) return one('coordinator', coordinator);
  if (agent !== undefined) return one('agent', agent);
  if (custom !== undefined) return one('custom', custom);
  if (input.simple === true) return one('simple', SIMPLE_PROMPT);
  return input.withoutCoding === true
    ? STATIC_SECTIONS.filter((section) => !CODING_SECTIONS.has(section.name))
    : STATIC_SECTIONS;
}

const one = (name: string, text: string | undefined): readonly NamedText[] =>
  text === undefined || text.trim() === '' ? [] : [{ name, text: text.trim() }];

const joined = (sections: readonly NamedText[]): readonly SystemText[] =>
  sections.length === 0
    ? []
    : [{ type: 'text', text: sections.map((section) => section.text).join('\n\n') }];
