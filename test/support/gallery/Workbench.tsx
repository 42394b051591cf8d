import { MessageSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApprovalDialog } from '../../../src/renderer/approvals/ApprovalDialog';
import { Composer } from '../../../src/renderer/chat/Composer';
import { Conversation } from '../../../src/renderer/chat/Conversation';
import { EmptyState } from '../../../src/renderer/ui/Notice';
import type { Approval } from '../../../src/shared/permission';
import type { Transcript } from '../../../src/shared/transcript';
import { commandApproval } from './approval-fixtures';
import { NOW, readCall } from './call-fixtures';
import { createApproval } from './question-fixtures';
import type { Scene } from './scenes';

/** The conversation with plain panels beside it, so that its proportions are those of the product. */
export function Workbench({ transcript, approvals = [], draft: first = '', stream, whole }: Scene) {
  const [draft, setDraft] = useState(first);
  const [log, setLog] = useState<readonly string[]>([]);
  const [pending, setPending] = useState<readonly Approval[]>(approvals);
  const note = (what: unknown) => setLog((before) => [...before, JSON.stringify(what)]);
  const [held, setHeld] = useState<readonly string[]>([]);
  const hold = (id: string, signal: AbortSignal) => {
    setHeld((before) => [...before, id]);
    signal.addEventListener('abort', () => setHeld((before) => before.filter((one) => one !== id)));
  };
  const streamed = useStream(stream);
  const [moved, setMoved] = useState(() => inPresent(transcript));
  const shown = stream === undefined ? moved : withText(moved, streamed);
  // Tests let something happen from outside: a question, or one more row.
  useEvent('ask', () => setPending([commandApproval]));
  useEvent('join', () => setPending((before) => [...before, createApproval]));
  useEvent('take', () => setMoved((t) => ({ ...t, queue: t.queue.slice(1) })));
  const finder = useRef<(() => void)[]>([]);
  useEvent('found', () => {
    for (const answer of finder.current.splice(0)) answer();
  });
  useEvent('earlier', () => whole && setMoved(inPresent(whole)));
  useEvent('more', () =>
    setMoved((t) => ({
      ...t,
      active: [...t.active, { ...readCall, id: `more${t.active.length}` }],
    })),
  );
  return (
    <div className="flex h-full">
      <nav
        aria-label="Sessions"
        className="w-60 shrink-0 border-r border-line bg-side p-3 text-meta text-ink-3"
      >
        <p>Sessions</p>
        <ol data-log>
          {log.map((line, index) => (
            <li key={`${index}:${line}`}>{line}</li>
          ))}
        </ol>
        <p data-held>{held.join(' ')}</p>
      </nav>
      <main className="flex min-w-0 flex-1 flex-col bg-canvas">
        <header className="flex h-10 shrink-0 items-center border-b border-line px-6 text-code font-medium">
          <h1>{shown.title || 'New session'}</h1>
        </header>
        <div className="relative flex min-h-0 flex-1 flex-col">
          <div className="min-h-0 flex-1">
            <Conversation
              transcript={shown}
              onAction={note}
              promptMenu={() => [
                {
                  kind: 'item',
                  id: 'rewind',
                  label: 'Rewind here',
                  onSelect: () => note('rewind'),
                },
              ]}
              empty={
                <EmptyState
                  icon={MessageSquare}
                  title="What shall we build?"
                  text="Ask for work in this project."
                />
              }
            />
          </div>
          <ApprovalDialog
            approvals={pending}
            home="/home/mira"
            onAnswer={(given) => {
              for (const { approvalId: id, answer } of given) note({ id, answer });
              const answered = given.map(({ approvalId }) => approvalId);
              setPending((before) => before.filter(({ id }) => !answered.includes(id)));
            }}
          />
          <Composer
            draft={draft}
            onDraft={setDraft}
            onSubmit={(text, priority) => {
              note({ submit: text.slice(0, 200), priority });
              setDraft('');
            }}
            onStop={() => note('stop')}
            running={shown.running !== null}
            queue={shown.queue}
            onQueue={note}
            onHold={hold}
            onEditLost={(text) => note({ lost: text })}
            history={['first prompt', 'second prompt\nwith two lines']}
            onRewind={() => note('rewind')}
            findFiles={(text) =>
              new Promise((resolve) => {
                const found = PATHS.filter((path) => path.includes(text)).map((path) => ({
                  path,
                  marks: [],
                }));
                finder.current.push(() =>
                  resolve({ ok: true, value: { found, searched: PATHS.length, partial: false } }),
                );
              })
            }
          />
        </div>
      </main>
      <aside
        aria-label="Tasks"
        className="w-80 shrink-0 border-l border-line bg-side p-3 text-meta text-ink-3"
      >
        <p>Tasks</p>
        <textarea aria-label="Terminal stand-in" className="xterm mt-6 w-full border border-line" />
      </aside>
    </div>
  );
}

/** Files of the project; a test says when the finder answers. */
const PATHS = ['docs/guide.md', 'src/auth.ts'];

/** Fixtures are fixed in time; clocks on screen count from now. */
function inPresent(t: Transcript): Transcript {
  const shift = Date.now() - NOW;
  return {
    ...t,
    running: t.running && { ...t.running, startedAt: t.running.startedAt + shift },
    silentSince: t.silentSince && t.silentSince + shift,
    waiting: t.waiting && { ...t.waiting, until: t.waiting.until + shift },
    active: t.active.map((item) =>
      item.kind === 'call' && item.startedAt !== undefined
        ? { ...item, startedAt: item.startedAt + shift }
        : item,
    ),
  };
}

const withText = (t: Transcript, text: string): Transcript => ({
  ...t,
  active: [...t.active, { kind: 'text', id: 'stream:0', text, done: false }],
});

function useEvent(type: string, happen: () => void): void {
  useEffect(() => {
    window.addEventListener(type, happen);
    return () => window.removeEventListener(type, happen);
  });
}

function useStream(text = ''): string {
  const [length, setLength] = useState(0);
  useEffect(() => {
    if (text === '') return;
    let frame = 0;
    const step = () => {
      setLength((n) => Math.min(n + 24, text.length));
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [text]);
  return text.slice(0, length);
}
