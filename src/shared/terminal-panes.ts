import { z } from 'zod';

/** Tabs of terminals in one place, one of them on screen. `size` is its share among its siblings. */
export const PaneTabs = z.object({
  kind: z.literal('tabs'),
  id: z.string().max(40),
  size: z.number().positive(),
  terminals: z.array(z.string().max(200)).max(500),
  shown: z.string().max(200).nullable(),
});
export type PaneTabs = z.infer<typeof PaneTabs>;

/** Panes beside each other (`row`) or one above the other (`column`). */
export interface PaneSplit {
  readonly kind: 'split';
  readonly id: string;
  readonly size: number;
  readonly direction: 'row' | 'column';
  readonly children: readonly PaneNode[];
}

/** The panes of a project's terminals. */
export type PaneNode = Readonly<PaneTabs> | PaneSplit;

/** Splits in splits in splits: deeper than anybody drags, shallow enough for any parser. */
const MAX_DEPTH = 12;

const nodeOf = (depth: number): z.ZodType<PaneNode> =>
  depth === 0
    ? PaneTabs
    : z.union([
        PaneTabs,
        z.object({
          kind: z.literal('split'),
          id: z.string().max(40),
          size: z.number().positive(),
          direction: z.enum(['row', 'column']),
          children: z.array(nodeOf(depth - 1)).max(16),
        }),
      ]);

export const PaneNode = nodeOf(MAX_DEPTH);
