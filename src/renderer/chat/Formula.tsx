import { memo, useEffect, useRef, useState } from 'react';
import { ScrollArea } from '../ui/ScrollArea';

/** A longer formula stays source. Characters. */
const LIMIT = 5_000;

/** A deeper one stays source, too: browsers lay out each level in a call of its own, and end the page when there are too many. Elements. */
const MAX_DEPTH = 250;

/** A formula, drawn by KaTeX, which is loaded with the first one. Until then, and when it cannot be read, its source. */
export const Formula = memo(function Formula({
  tex,
  block,
}: {
  readonly tex: string;
  /** On a line of its own. */
  readonly block: boolean;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    if (tex.length <= LIMIT) {
      void draw(tex, block, () => (wanted ? place.current : null)).then((done) => {
        if (wanted) setDrawn(done ? tex : null);
      });
    }
    return () => {
      wanted = false;
    };
  }, [tex, block]);
  const shown = (
    <>
      <span ref={place} hidden={drawn === null} />
      {drawn === null ? <code>{tex}</code> : null}
    </>
  );
  return block ? (
    <ScrollArea label="Formula" className="math-block">
      {shown}
    </ScrollArea>
  ) : (
    shown
  );
});

/** Draws a formula into `place`, unless that is gone; false when it cannot be read. */
async function draw(
  tex: string,
  displayMode: boolean,
  place: () => HTMLElement | null,
): Promise<boolean> {
  try {
    const [katex] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')]);
    // No links, classes or files of the formula's own; macros and sizes are bounded.
    const bounds = { trust: false, strict: false, maxExpand: 500, maxSize: 20 } as const;
    const made = document.createElement('span');
    katex.default.render(tex, made, { displayMode, throwOnError: true, ...bounds });
    const element = place();
    if (element === null || isDeeperThan(MAX_DEPTH, made)) return false;
    element.replaceChildren(...made.childNodes);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether elements stand in one another deeper than this. */
function isDeeperThan(limit: number, root: Element): boolean {
  let level: Element[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((element) => [...element.children]);
  }
  return false;
}
