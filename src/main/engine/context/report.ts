import type { AgentTranscript } from '../../../shared/transcript';

/** The names of the categories, in the order in which they stand in a request. */
const PARTS = [
  ['tools', 'Tools'],
  ['system', 'System prompt'],
  ['memory', 'Memory and facts'],
  ['messages', 'Conversation'],
] as const;

/**
 * Says in lines where the window of a conversation goes, and what each layer of the context did (docs/spec.md F8).
 * `modelWindow` is the size of a window that no request has told yet. Tokens.
 */
export function contextReport(
  {
    context,
    layers,
    cleared,
    pins,
  }: Pick<AgentTranscript, 'context' | 'layers' | 'cleared' | 'pins'>,
  modelWindow: number,
): string {
  if (context === null) return 'Counted with the first answer.';
  const { usedTokens, parts, compactAt } = context;
  const windowTokens = context.windowTokens || modelWindow;
  const share = (tokens: number) => ` (${((100 * tokens) / windowTokens).toFixed(1)} %)`;
  const line = (name: string, tokens: number) => `${name}: ${tokens}${share(tokens)}`;
  const work = Object.entries(layers).map(
    ([layer, { acts, freed }]) =>
      `${layer}: acted ${acts === 1 ? 'once' : `${acts} times`}, ${freed} tokens freed`,
  );
  return [
    `Context: ${usedTokens} of ${windowTokens} tokens`,
    ...PARTS.flatMap(([part, name]) => (parts === undefined ? [] : [line(name, parts[part])])),
    line('Free', Math.max(0, windowTokens - usedTokens)),
    ...(compactAt === null ? ['Summaries are off.'] : []),
    ...(compactAt === undefined || compactAt === null
      ? []
      : [`Summarised at ${compactAt} tokens.`]),
    ...(pins.length === 0 ? [] : [`Pinned messages: ${pins.length}`]),
    ...(cleared === null
      ? []
      : [
          `Cleared by the API in the newest request: ${cleared.results} results, ${cleared.tokens} tokens`,
        ]),
    ...(work.length === 0 ? ['Nothing was left out so far.'] : ['Left out so far:', ...work]),
  ].join('\n');
}
