import { GitFork } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Result } from '../../shared/result';
import {
  ORIGIN_NAMES,
  type OtherContents,
  type OtherMessage,
  type OtherPage,
  type OtherPageRequest,
} from '../../shared/session-search';
import type { OpenDialog } from '../store/screen';
import { contentsOfOther, forkOther, readOther } from '../store/search';
import { useLathe } from '../store/use-lathe';
import { Button, IconButton } from '../ui/Button';
import { cx } from '../ui/css';
import { Dialog, focusHome } from '../ui/Dialog';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { ScrollArea } from '../ui/ScrollArea';
import { VisibleProse, VisibleText } from '../ui/VisibleText';
import { folderName } from './group-sessions';

type Opened = Extract<OpenDialog, { kind: 'otherLog' }>;

/** The part of a log that is wanted, and the message that it is about. */
interface Wanted extends Pick<OtherPageRequest, 'place' | 'at'> {
  readonly itemId: string | null;
}

/** Shows another agent's log: its contents, and a page of it at the message that was found. A copy of it can be gone on with. */
export function OtherLogDialog({
  hit,
  onClose,
}: Pick<Opened, 'hit'> & { readonly onClose: () => void }) {
  const lathe = useLathe();
  const { origin, log } = hit.other;
  const [{ place, at, itemId }, setWanted] = useState<Wanted>(() => wantedAt(hit.itemId));
  const [isForking, setForking] = useState(false);
  const read = useAnswer(
    () => readOther(lathe, { origin, log, place, at }),
    [lathe, origin, log, place, at],
  );
  const contents = useAnswer(() => contentsOfOther(lathe, { origin, log }), [lathe, origin, log]);
  const page = read?.ok ? read.value : null;
  // While another page is read, the buttons stay where they are.
  const isPart = place !== 'around' || (page !== null && (page.start > 0 || page.end < page.size));
  const fork = (upTo: string | null) => {
    setForking(true);
    void forkOther(lathe, { origin, log }, upTo).then((forked) => {
      setForking(false);
      if (!forked.ok) return;
      onClose();
      focusHome();
    });
  };
  const where = hit.project === '' ? '' : `, in ${folderName(hit.project)}`;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      flush
      title={hit.title || log}
      description={`A session of ${ORIGIN_NAMES[origin]}${where}. It stays as it is: a fork is a session of its own.`}
      footer={
        <>
          {isPart ? (
            <>
              <Button
                disabled={page === null || page.start === 0}
                onClick={() => setWanted({ place: 'before', at: page?.start ?? 0, itemId: null })}
              >
                Earlier
              </Button>
              <Button
                disabled={page === null || page.end >= page.size}
                onClick={() => setWanted({ place: 'from', at: page?.end ?? 0, itemId: null })}
              >
                Later
              </Button>
            </>
          ) : null}
          <Button variant="primary" disabled={isForking} onClick={() => fork(null)}>
            Fork at its end
          </Button>
        </>
      }
    >
      <div className="flex h-[44vh] flex-col sm:h-[58vh] sm:flex-row">
        <Contents
          contents={contents}
          itemId={itemId}
          onPick={(picked) => setWanted(wantedAt(picked))}
        />
        <div className="min-h-0 min-w-0 flex-1">
          {read === null ? (
            <p className="flex h-full items-center justify-center gap-2 text-code text-ink-3">
              <Spinner /> Opening the log
            </p>
          ) : read.ok ? (
            <Messages
              page={read.value}
              foundId={itemId}
              atEnd={place === 'before'}
              onFork={isForking ? null : fork}
            />
          ) : (
            <div className="p-6">
              <Notice level="error" title={read.error.message}>
                {read.error.fix}
              </Notice>
            </div>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Returns the part of a log around a message, whose id begins with its place. */
const wantedAt = (itemId: string): Wanted => ({
  ...{ place: 'around', at: Number.parseInt(itemId, 10) || 0, itemId },
});

/** Asks the host whenever one of `facts` changes, and returns its answer; null while it is waited for. */
function useAnswer<T>(ask: () => Promise<Result<T>>, facts: readonly unknown[]): Result<T> | null {
  const [answer, setAnswer] = useState<Result<T> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setAnswer(null);
    void ask().then((found) => {
      if (isCurrent) setAnswer(found);
    });
    return () => {
      isCurrent = false;
    };
  }, facts);
  return answer;
}

/** Lists what the user asked for in a log; a press jumps there. */
function Contents({
  contents,
  itemId,
  onPick,
}: {
  readonly contents: Result<OtherContents> | null;
  readonly itemId: string | null;
  readonly onPick: (itemId: string) => void;
}) {
  return (
    <nav
      aria-label="Prompts of the log"
      className="flex max-h-28 shrink-0 flex-col border-b border-line sm:max-h-none sm:w-56 sm:border-r sm:border-b-0"
    >
      <ScrollArea label="List of prompts" className="flex-1 p-2 outline-none">
        {contents === null ? <p className="p-2 text-meta text-ink-3">Listing the prompts</p> : null}
        {contents?.ok === false ? (
          <p className="p-2 text-meta text-ink-3">
            {contents.error.message} {contents.error.fix}
          </p>
        ) : null}
        {contents?.ok && contents.value.more ? (
          <p className="p-2 text-meta text-ink-3">Older prompts are not listed.</p>
        ) : null}
        {contents?.ok
          ? contents.value.prompts.map((prompt) => (
              <button
                key={prompt.itemId}
                type="button"
                aria-current={prompt.itemId === itemId || undefined}
                onClick={() => onPick(prompt.itemId)}
                className="block w-full rounded-md px-2 py-1.5 text-left text-meta text-ink-2 hover:bg-hover aria-[current]:bg-selected aria-[current]:text-ink"
              >
                <span className="line-clamp-2 [overflow-wrap:anywhere]">
                  <VisibleProse text={prompt.text || 'Without words'} />
                </span>
              </button>
            ))
          : null}
      </ScrollArea>
    </nav>
  );
}

/** Lists the messages of a page, at the one that was found, at the beginning, or at the end. */
function Messages({
  page,
  foundId,
  atEnd,
  onFork,
}: {
  readonly page: OtherPage;
  readonly foundId: string | null;
  readonly atEnd: boolean;
  /** Null while a fork is made. */
  readonly onFork: ((itemId: string) => void) | null;
}) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = area.current;
    if (box === null) return;
    box.focus({ preventScroll: true });
    const found = box.querySelector('[data-found]');
    if (found !== null) found.scrollIntoView({ block: 'center' });
    else box.scrollTop = atEnd ? box.scrollHeight : 0;
  }, [page, foundId, atEnd]);
  return (
    <ScrollArea ref={area} label="Messages of the log" className="h-full px-6 py-2 outline-none">
      {page.messages.length === 0 ? (
        <p className="py-6 text-code text-ink-3">There is nothing to read in this part.</p>
      ) : null}
      {page.messages.map((message) => (
        <Message
          key={message.itemId}
          message={message}
          isFound={foundId !== null && message.itemId === foundId}
          onFork={onFork}
        />
      ))}
    </ScrollArea>
  );
}

const WHO: Readonly<Record<OtherMessage['who'], string>> = {
  user: 'User',
  assistant: 'Answer',
  tool: 'Tool',
};

function Message({
  message: { itemId, who, at, text, isCut },
  isFound,
  onFork,
}: {
  readonly message: OtherMessage;
  readonly isFound: boolean;
  readonly onFork: ((itemId: string) => void) | null;
}) {
  return (
    <article
      data-found={isFound || undefined}
      className={cx(
        'group border-b border-line py-3',
        isFound && '-mx-3 rounded-md bg-selected px-3',
      )}
    >
      <header className="flex h-6 items-center gap-2 text-meta text-ink-3 select-none">
        <span className="font-medium text-ink-2">{WHO[who]}</span>
        {at === 0 ? null : <time>{new Date(at).toLocaleString()}</time>}
        <IconButton
          icon={GitFork}
          label={who === 'user' ? 'Fork from here' : 'Fork after this answer'}
          disabled={onFork === null}
          onClick={() => onFork?.(itemId)}
          className="ml-auto opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
        />
      </header>
      <p
        className={cx(
          'mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]',
          who === 'tool' ? 'font-mono text-meta text-ink-2' : 'text-code',
        )}
      >
        {who === 'tool' ? <VisibleText text={text} /> : <VisibleProse text={text} />}
        {isCut ? <span className="text-ink-3"> … (longer in the log)</span> : null}
      </p>
    </article>
  );
}
