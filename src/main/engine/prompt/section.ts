/** One piece of the system prompt. `compute` gives null when it has nothing to say. */
export type Section = {
  readonly name: string;
  compute(signal: AbortSignal): string | null | Promise<string | null>;
} & (
  | { readonly cache: 'session'; readonly why?: string }
  /** Computed for every request: breaks the prompt cache whenever its text changes, so it must say why. */
  | { readonly cache: 'never'; readonly why: string }
);

/** The texts of a session's sections, by name. One per session; cleared when the prompt may change anyway. */
export interface SectionCache {
  get(name: string): Promise<string | null> | undefined;
  set(name: string, text: Promise<string | null>): void;
  clear(): void;
}

export function createSectionCache(): SectionCache {
  const texts = new Map<string, Promise<string | null>>();
  return {
    get: (name) => texts.get(name),
    set: (name, text) => {
      texts.set(name, text);
    },
    clear: () => texts.clear(),
  };
}

/**
 * Computes sections in parallel and gives their texts in the order of the sections. A section that fails is
 * left out and tried again next time: a prompt without it is better than none.
 */
export async function computeSections(
  sections: readonly Section[],
  cache: SectionCache,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts = await Promise.all(
    sections.map(async (section) => {
      const known = section.cache === 'session' ? cache.get(section.name) : undefined;
      if (known !== undefined) return known;
      try {
        const text = await section.compute(signal);
        if (section.cache === 'session') cache.set(section.name, Promise.resolve(text));
        return text;
      } catch {
        return null;
      }
    }),
  );
  return texts.filter((text) => text !== null).filter((text) => text.trim() !== '');
}
