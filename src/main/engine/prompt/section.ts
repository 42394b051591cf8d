import { textTokens } from '../context/tokens';

/** One piece of the system prompt. `compute` returns null when it has nothing to say to the model. */
export type Section = {
  readonly name: string;
  compute(model: string, signal: AbortSignal): string | null | Promise<string | null>;
} & (
  | { readonly cache: 'session'; readonly why?: string }
  /** Computed for every request: breaks the prompt cache whenever its text changes, so it must say why. */
  | { readonly cache: 'never'; readonly why: string }
);

/** A piece of the prompt as it is sent. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The dynamic sections of one session, in their order, and the texts computed so far. One per session. */
export interface SectionRegistry {
  /** The sections there are, how long their texts hold, and why. */
  readonly sections: readonly Section[];
  /**
   * Computes the texts of all sections that have something to say, in order, for the model that reads them; what is not
   * cached in parallel. Leaves out a section that fails and tries it again next time: a prompt without it is better than
   * none.
   */
  compute(model: string, signal: AbortSignal): Promise<readonly NamedText[]>;
  /** Forgets cached texts: all, or one section's. For moments when the prompt changes anyway (compaction, clear). */
  forget(name?: string): void;
}

/** Creates the registry. Two sections of one name are a mistake of ours and throw, as is `never` without a reason. */
export function createSectionRegistry(sections: readonly Section[]): SectionRegistry {
  const names = new Set(sections.map((section) => section.name));
  if (names.size !== sections.length) throw new Error('Two prompt sections have the same name.');
  const unexplained = sections.find((s) => s.cache === 'never' && s.why.trim() === '');
  if (unexplained) throw new Error(`The prompt section ${unexplained.name} must say why.`);
  const known = new Map<string, string | null>();
  /** Counts forgets, so that a text computed before one is not kept after it. */
  let age = 0;

  const textOf = async (
    section: Section,
    model: string,
    signal: AbortSignal,
  ): Promise<string | null> => {
    const startedAt = age;
    try {
      const text = await section.compute(model, signal);
      const keep = section.cache === 'session' && startedAt === age && !signal.aborted;
      if (keep) known.set(section.name, text);
      return text;
    } catch {
      return null;
    }
  };

  return {
    sections,
    compute: async (model, signal) => {
      const open = sections.filter(({ name, cache }) => cache === 'never' || !known.has(name));
      const texts = await Promise.all(open.map((section) => textOf(section, model, signal)));
      return sections.flatMap((section) => {
        const at = open.indexOf(section);
        const found = at < 0 ? known.get(section.name) : texts[at];
        const text = found?.trim() ?? '';
        return text === '' ? [] : [{ name: section.name, text }];
      });
    },
    forget: (name) => {
      age += 1;
      if (name === undefined) known.clear();
      else known.delete(name);
    },
  };
}

/** The reason why a part of the prompt is cut or left out. */
export const NO_ROOM = 'the prompt has no more room';

/** Less of a text than this says nothing. Tokens. */
const LEAST_TOKENS = 50;

/** Cuts a text to about `tokens`, where a line ends if one does, and says so; null when too little would be left of it. */
export function cutText(text: string, tokens: number): string | null {
  if (tokens < LEAST_TOKENS) return null;
  let end = Math.floor((text.length * tokens) / textTokens(text));
  while (textTokens(text.slice(0, end)) > tokens) end = Math.floor(end * 0.9);
  const line = text.lastIndexOf('\n', end);
  return `${text.slice(0, line > end / 2 ? line : end)}\n(cut: ${NO_ROOM})`;
}
