import { memo, useEffect, useId, useState, useSyncExternalStore } from 'react';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { Spinner } from '../ui/Marks';
import { ScrollArea } from '../ui/ScrollArea';
import { CodeBlock } from './CodeBlock';

/** A longer source is not drawn. Characters. */
const LIMIT = 20_000;
const MAX_EDGES = 400;
/** Lines of a diagram whose nodes are placed by forces: the page stands still for seconds over more. */
const MAX_FORCED_LINES = 80;

type Drawn =
  | { readonly kind: 'drawing' }
  | { readonly kind: 'image'; readonly svg: string }
  | { readonly kind: 'failed'; readonly why: string };

/** A diagram in Mermaid's language, drawn as an inert image; its source is a button away, and shown when it cannot be drawn. */
export const Diagram = memo(function Diagram({ code }: { readonly code: string }) {
  const id = useId().replace(/\W/g, '');
  const dark = useSyncExternalStore(onThemeChange, isDark);
  const [drawn, setDrawn] = useState<Drawn>({ kind: 'drawing' });
  const [source, setSource] = useState(false);
  const [large, setLarge] = useState(false);
  useEffect(() => {
    let wanted = true;
    void draw(`diagram-${id}`, code, dark).then((result) => {
      if (wanted) setDrawn(result);
    });
    return () => {
      wanted = false;
    };
  }, [id, code, dark]);
  if (drawn.kind === 'failed') {
    return (
      <>
        <CodeBlock code={code} language="mermaid" done />
        <p className="!-mt-1.5 text-meta text-ink-3">{drawn.why}</p>
      </>
    );
  }
  return (
    <figure className="mb-3 overflow-hidden rounded-md border border-line last:mb-0">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line bg-sunken pr-1 pl-3">
        <span className="flex-1 truncate text-meta text-ink-3">diagram</span>
        {source || drawn.kind !== 'image' ? null : (
          <Button size="sm" variant="ghost" onClick={() => setLarge(true)}>
            Enlarge
          </Button>
        )}
        <Button size="sm" variant="ghost" onClick={() => setSource(!source)}>
          {source ? 'Show diagram' : 'Show source'}
        </Button>
      </figcaption>
      {source ? (
        <ScrollArea label="Source of the diagram">
          <pre data-block="code" className="!m-0 w-max min-w-full px-3 py-2.5 text-code">
            {code}
          </pre>
        </ScrollArea>
      ) : drawn.kind === 'image' ? (
        <ScrollArea label="Diagram" className="max-h-[70vh] overflow-auto p-3">
          <img
            src={drawingUrl(drawn.svg)}
            alt={`Diagram: ${titleOf(code)}`}
            className="mx-auto max-w-full"
          />
        </ScrollArea>
      ) : (
        <p className="flex items-center gap-2 p-3 text-meta text-ink-3">
          <Spinner size={12} /> Drawing the diagram
        </p>
      )}
      {large && drawn.kind === 'image' ? (
        <Dialog open onOpenChange={setLarge} size="xl" title={titleOf(code)} flush>
          <ScrollArea label="Enlarged diagram" className="h-full overflow-auto p-3">
            <img
              src={drawingUrl(drawn.svg)}
              alt={`Diagram: ${titleOf(code)}`}
              className="mx-auto max-w-none"
            />
          </ScrollArea>
        </Dialog>
      ) : null}
    </figure>
  );
});

/** Returns the first line of a diagram that says what it is. */
const titleOf = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('%%') && line !== '---') ?? '';

const isTooLarge = (code: string): boolean =>
  code.length > LIMIT ||
  (/^(?:mindmap|architecture)/.test(titleOf(code)) && code.split('\n').length > MAX_FORCED_LINES);

async function draw(id: string, code: string, dark: boolean): Promise<Drawn> {
  if (isTooLarge(code))
    return { kind: 'failed', why: 'This diagram is too large to be drawn here.' };
  try {
    const { default: mermaid } = await import('mermaid');
    mermaid.initialize({
      ...{ startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true },
      ...{ maxTextSize: LIMIT, maxEdges: MAX_EDGES, htmlLabels: false, look: 'classic' },
      ...{ theme: dark ? 'dark' : 'neutral', fontFamily: 'system-ui, sans-serif' },
    });
    const { svg } = await mermaid.render(id, code);
    return { kind: 'image', svg };
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n', 1);
    return {
      kind: 'failed',
      why: `This diagram could not be drawn: ${reason.slice(0, 200).replace(/:$/, '')}.`,
    };
  }
}

/**
 * Returns a drawing as the address of an image, in its own size: in an image nothing runs, and nothing is loaded
 * (docs/security.md 9).
 */
function drawingUrl(svg: string): string {
  const end = svg.indexOf('>');
  const head = svg.slice(0, end);
  const [, width, height] =
    /viewBox="[\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)"/.exec(head) ?? [];
  const sized =
    width === undefined || height === undefined
      ? head
      : `${head.replace(/\s(?:width|height)="[^"]*"/g, '')} width="${width}" height="${height}"`;
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized + svg.slice(end))}`;
}

const SYSTEM_DARK = '(prefers-color-scheme: dark)';

const isDark = (): boolean =>
  (document.documentElement.dataset['theme'] ??
    (window.matchMedia(SYSTEM_DARK).matches ? 'dark' : 'light')) === 'dark';

function onThemeChange(listener: () => void): () => void {
  const system = window.matchMedia(SYSTEM_DARK);
  system.addEventListener('change', listener);
  const own = new MutationObserver(listener);
  own.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', listener);
    own.disconnect();
  };
}
