import type { Collector } from './attachment';

const KIND = 'style_change';

/** The way in which answers are to be written. */
export interface WishedStyle {
  readonly outputStyle?: string | undefined;
  readonly language?: string | undefined;
}

/**
 * Tells the model when style or language change in a session. The prompt stays as it began: a new one would cost the
 * prompt cache and the thinking that is bound to it. `textOf` reads a style.
 */
export function createStyleChanges(
  wished: () => WishedStyle,
  textOf: (outputStyle: string | undefined) => Promise<string>,
): Collector {
  const keyOf = ({ outputStyle = '', language = '' }: WishedStyle) =>
    JSON.stringify([outputStyle, language]);
  const begun = keyOf(wished());
  return {
    name: 'output style',
    collect: async ({ history }) => {
      const wish = wished();
      const about = keyOf(wish);
      const last = history.findLast((one) => one.role === 'attachment' && one.kind === KIND);
      const told = last?.role === 'attachment' ? last.about : begun;
      if (about === told) return [];
      const style = (await textOf(wish.outputStyle)).trim();
      const { language = '' } = wish;
      const parts = [
        'The user changed how you are to write from now on. This takes the place of what was said on output style and language before.',
        style === '' ? 'Output style: the usual one.' : `# Output style\n${style}`,
        language.trim() === ''
          ? 'Language: that of the user.'
          : `# Language\nAnswer in ${language.trim()}.`,
      ];
      return [{ attachment: { kind: KIND, about, text: parts.join('\n\n') } }];
    },
  };
}
