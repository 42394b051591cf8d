import { textTokens } from '../context/tokens';
import type { SystemText } from '../model/model-client';
import type { NamedText, SectionRegistry } from './section';
import { CODING_SECTIONS, SIMPLE_PROMPT, STATIC_SECTIONS } from './static-sections';

/** The parts of a system prompt. The strongest of override, coordinator, agent, custom, default wins. */
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
  /** Tokens of what stands in front of the conversation besides: memory files and facts. They share one budget. */
  readonly openingTokens?: Promise<number> | undefined;
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
  const [dynamic, opening] = await Promise.all([
    input.override === undefined ? input.registry.compute(input.model, signal) : [],
    input.openingTokens ?? 0,
  ]);
  const all = [...dynamic, ...one('append', input.append)];
  const rest = fitSections(all, PROMPT_TOKENS - opening - tokensOf(fixed));
  return { texts: [fixed, rest].flatMap(joined), sections: [...fixed, ...rest] };
}

/** The budget of everything in front of the conversation (docs/spec.md B1): 6 % of a window of a million. Tokens. */
const PROMPT_TOKENS = 60_000;

/** The sections that are cut when the budget is used up, the least important first. The others stay whole. */
const CUT_FIRST = ['servers', 'directory', 'git'];

/** Less of a section than this says nothing. Tokens. */
const LEAST_TOKENS = 50;

/**
 * Shortens sections until they fit into `room` tokens: those of {@link CUT_FIRST} in their order, each to what is left
 * for it, or away. Pure.
 */
export function fitSections(sections: readonly NamedText[], room: number): readonly NamedText[] {
  let fitted = sections;
  for (const name of CUT_FIRST) {
    const over = tokensOf(fitted) - room;
    if (over <= 0) return fitted;
    fitted = fitted.flatMap((section) => (section.name === name ? cut(section, over) : [section]));
  }
  return fitted;
}

function cut({ name, text }: NamedText, overTokens: number): readonly NamedText[] {
  const keep = textTokens(text) - overTokens;
  if (keep < LEAST_TOKENS) return [];
  const end = text.lastIndexOf('\n', Math.floor(text.length * (keep / textTokens(text))));
  return [{ name, text: `${text.slice(0, end)}\n(cut: the prompt has no more room)` }];
}

const tokensOf = (sections: readonly NamedText[]): number =>
  sections.reduce((sum, { text }) => sum + textTokens(text), 0);

/** Returns the part before the dynamic boundary. Here is the order of precedence (docs/spec.md B2). */
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
