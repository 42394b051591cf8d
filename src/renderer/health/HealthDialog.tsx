import { Copy, RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Finding, HealthView } from '../../shared/health';
import type { Result } from '../../shared/result';
import type { Project } from '../../shared/settings';
import { addToast, copyText } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Dialog } from '../ui/Dialog';
import { dataSize, plural } from '../ui/format';
import { Spinner, StateGlyph } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { ScrollArea } from '../ui/ScrollArea';
import { watchFrames } from './frames';
import {
  type HealthFigure,
  hostFigures,
  type PageFacts,
  pageFigures,
  reportText,
  sessionWords,
} from './health-lines';

/** Between two looks while the dialog is open. Milliseconds. */
const LOOK_EVERY_MS = 2_000;

/** Shows the state of Lathe itself: what it uses, what waits in it, and what an examination finds. */
export function HealthDialog({
  project,
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) {
  const { store } = useLathe();
  const version = useScreen((s) => s.info?.version ?? '');
  const looked = useHealth();
  const findings = useExamination(project.path);
  const copy = async () => {
    if (!looked?.view.ok) return;
    const found = findings?.ok ? findings.value : [];
    const text = reportText(version, looked.view.value, looked.page, found);
    if (await copyText(store, text)) addToast(store, { level: 'info', text: 'Copied the report' });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="Health"
      description="What Lathe uses at the moment, and what waits in it."
      footer={
        <>
          <Button icon={Copy} disabled={looked?.view.ok !== true} onClick={() => void copy()}>
            Copy a report
          </Button>
          <Button
            icon={RotateCw}
            onClick={() => {
              onClose();
              location.reload();
            }}
          >
            Reload this window
          </Button>
        </>
      }
    >
      <ScrollArea
        label="Health"
        className="-mx-2 flex max-h-[calc(76vh-150px)] flex-col gap-6 px-2"
      >
        {looked === null ? (
          <Waiting>Looking</Waiting>
        ) : looked.view.ok ? (
          <Facts view={looked.view.value} page={looked.page} />
        ) : (
          <Notice level="error" title={looked.view.error.message}>
            {looked.view.error.fix}
          </Notice>
        )}
        <section aria-label="Examination">
          <Heading>What Lathe depends on</Heading>
          {findings === null ? (
            <Waiting>Examining</Waiting>
          ) : findings.ok ? (
            <Findings findings={findings.value} />
          ) : (
            <Notice level="error" title={findings.error.message}>
              {findings.error.fix}
            </Notice>
          )}
        </section>
        <p className="text-meta text-ink-3">
          Reloading draws the window anew. Sessions, commands and terminals go on, and what you were
          writing stays.
        </p>
      </ScrollArea>
    </Dialog>
  );
}

interface Looked {
  readonly view: Result<HealthView>;
  readonly page: PageFacts;
}

/** Looks at the process and at this window now and again while it is mounted and can be seen. */
function useHealth(): Looked | null {
  const lathe = useLathe();
  const [looked, setLooked] = useState<Looked | null>(null);
  useEffect(() => {
    const frames = watchFrames();
    let wanted = true;
    let asking = false;
    const look = async () => {
      if (asking || document.hidden) return;
      asking = true;
      const view = await lathe.ask((client) => client.health.view());
      asking = false;
      if (wanted) setLooked({ view, page: { ...frames.facts(), ...pageNow() } });
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return () => {
      wanted = false;
      frames.end();
      clearInterval(timer);
    };
  }, [lathe]);
  return looked;
}

/** Only Chromium tells of its heap. */
const pageNow = (): Pick<PageFacts, 'heap' | 'elements'> => {
  const { memory } = performance as { memory?: { readonly usedJSHeapSize: number } };
  return {
    heap: memory?.usedJSHeapSize ?? null,
    elements: document.getElementsByTagName('*').length,
  };
};

/** Examines once; it starts programs. */
function useExamination(project: string): Result<readonly Finding[]> | null {
  const lathe = useLathe();
  const [found, setFound] = useState<Result<readonly Finding[]> | null>(null);
  useEffect(() => {
    let wanted = true;
    void lathe
      .ask((client) => client.health.examine({ project }))
      .then((result) => {
        if (wanted) setFound(result);
      });
    return () => {
      wanted = false;
    };
  }, [lathe, project]);
  return found;
}

function Facts({ view, page }: { readonly view: HealthView; readonly page: PageFacts }) {
  const { sessions, terminals, idleLimit } = view;
  return (
    <>
      <section aria-label="Process">
        <Heading>Process</Heading>
        <Figures figures={hostFigures(view)} />
      </section>
      <section aria-label="Window">
        <Heading>This window</Heading>
        <Figures figures={pageFigures(page)} />
      </section>
      <section aria-label="Terminals">
        <Heading>Terminals</Heading>
        <p className="text-code tabular-nums">
          {`${terminals.running} running, ${terminals.ended} ended`}
          <span className="text-ink-3">
            {` · ${plural(terminals.processes, 'process', 'processes')} · ${dataSize(terminals.memory)}`}
          </span>
        </p>
      </section>
      <section aria-label="Sessions in memory">
        <Heading note={`${idleLimit} idle ones stay; the others are read again when you open them`}>
          Sessions in memory
        </Heading>
        {sessions.length === 0 ? (
          <p className="text-code text-ink-3">None</p>
        ) : (
          <ul className="flex flex-col">
            {sessions.map((session) => (
              <li key={session.id} className="flex h-7 items-center gap-2 text-code">
                <StateGlyph
                  state={session.running ? 'running' : 'stopped'}
                  label={session.running ? 'at work' : 'rests'}
                />
                <span className="min-w-0 flex-1 truncate" title={session.title}>
                  {session.title}
                </span>
                <span className="shrink-0 text-meta text-ink-3 tabular-nums">
                  {sessionWords(session)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

const Waiting = ({ children }: { readonly children: string }) => (
  <p role="status" className="flex items-center gap-2 py-2 text-meta text-ink-3">
    <Spinner size={12} /> {children}
  </p>
);

const Heading = ({ children, note }: { readonly children: string; readonly note?: string }) => (
  <h3 className="mb-1.5 flex items-baseline gap-2 text-meta font-medium text-ink-3">
    {children}
    {note === undefined ? null : <span className="font-normal">{note}</span>}
  </h3>
);

const Figures = ({ figures }: { readonly figures: readonly HealthFigure[] }) => (
  <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
    {figures.map(({ label, value, note, high }) => (
      <div key={label} className="flex flex-col tabular-nums">
        <dt className="text-meta text-ink-3">{label}</dt>
        <dd className={cx('text-title leading-7', high ? 'text-waits' : '')}>{value}</dd>
        <dd className="text-meta text-ink-3">{note}</dd>
      </div>
    ))}
  </dl>
);

const GLYPHS = { good: 'done', note: 'waits', bad: 'failed' } as const;
const WORDS = { good: 'works', note: 'worth a look', bad: 'does not work' } as const;

const Findings = ({ findings }: { readonly findings: readonly Finding[] }) => (
  <ul className="flex flex-col gap-1">
    {findings.map(({ label, state, text }) => (
      <li key={`${label} ${text}`} className="flex gap-2 text-code leading-6">
        <span className="flex h-6 items-center">
          <StateGlyph state={GLYPHS[state]} label={WORDS[state]} quiet={state === 'good'} />
        </span>
        <span className="w-24 shrink-0 text-ink-2">{label}</span>
        <span className="min-w-0 flex-1 break-words">{text}</span>
      </li>
    ))}
  </ul>
);
