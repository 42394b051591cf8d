import { useEffect, useRef, useState } from 'react';
import type { Result } from '../../shared/result';
import {
  ORIGIN_NAMES,
  type OtherMessage,
  type OtherPage,
  type OtherPageRequest,
} from '../../shared/session-search';
import type { OpenDialog } from '../store/screen';
import { readOther } from '../store/search';
import { useLathe } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { Dialog } from '../ui/Dialog';
import { Spinner } from '../ui/Marks';
import { Notice } from '../ui/Notice';
import { ScrollArea } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';
import { folderName } from './group-sessions';

type Opened = Extract<OpenDialog, { kind: 'otherLog' }>;

/** Shows a page of another agent's log, at the message that was found. Nothing in it can be changed. */
export function OtherLogDialog({
  hit,
  onClose,
}: Pick<Opened, 'hit'> & { readonly onClose: () => void }) {
  const lathe = useLathe();
  const { origin, log } = hit.other;
  const [wanted, setWanted] = useState<Pick<OtherPageRequest, 'place' | 'at'>>({
    place: 'around',
    at: Number.parseInt(hit.itemId, 10) || 0,
  });
  const [read, setRead] = useState<Result<OtherPage> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setRead(null);
    void readOther(lathe, { origin, log, ...wanted }).then((page) => {
      if (isCurrent) setRead(page);
    });
    return () => {
      isCurrent = false;
    };
  }, [lathe, origin, log, wanted]);
  const page = read?.ok ? read.value : null;
  // While another page is read, the buttons stay where they are.
  const isPart =
    wanted.place !== 'around' || (page !== null && (page.start > 0 || page.end < page.size));
  const earlier = () => setWanted({ place: 'before', at: page?.start ?? 0 });
  const later = () => setWanted({ place: 'from', at: page?.end ?? 0 });
  const place = hit.project === '' ? '' : `, in ${folderName(hit.project)}`;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      flush
      title={hit.title || log}
      description={`A session of ${ORIGIN_NAMES[origin]}${place}, to read only.`}
      {...(isPart
        ? {
            footer: (
              <>
                <Button disabled={page === null || page.start === 0} onClick={earlier}>
                  Earlier
                </Button>
                <Button disabled={page === null || page.end >= page.size} onClick={later}>
                  Later
                </Button>
              </>
            ),
          }
        : {})}
    >
      <div className="h-[58vh]">
        {read === null ? (
          <p className="flex h-full items-center justify-center gap-2 text-code text-ink-3">
            <Spinner /> Opening the log
          </p>
        ) : read.ok ? (
          <Messages
            page={read.value}
            foundId={wanted.place === 'around' ? hit.itemId : null}
            atEnd={wanted.place === 'before'}
          />
        ) : (
          <div className="p-6">
            <Notice level="error" title={read.error.message}>
              {read.error.fix}
            </Notice>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Lists the messages of a page, at the one that was found, at the beginning, or at the end. */
function Messages({
  page,
  foundId,
  atEnd,
}: {
  readonly page: OtherPage;
  readonly foundId: string | null;
  readonly atEnd: boolean;
}) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = area.current;
    if (box === null) return;
    box.focus({ preventScroll: true });
    const found = box.querySelector('[data-found]');
    if (found !== null) found.scrollIntoView({ block: 'center' });
    else box.scrollTop = atEnd ? box.scrollHeight : 0;
  }, [atEnd]);
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
        />
      ))}
    </ScrollArea>
  );
}

const WHO: Readonly<Record<OtherMessage['who'], string>> = {
  user: 'Person',
  assistant: 'Answer',
  tool: 'Tool',
};

function Message({
  message: { who, at, text, isCut },
  isFound,
}: {
  readonly message: OtherMessage;
  readonly isFound: boolean;
}) {
  return (
    <article
      data-found={isFound || undefined}
      className={cx(
        'border-b border-line py-3 [content-visibility:auto]',
        isFound && '-mx-3 rounded-md bg-selected px-3',
      )}
    >
      <p className="flex gap-2 text-meta text-ink-3 select-none">
        <span className="font-medium text-ink-2">{WHO[who]}</span>
        {at === 0 ? null : <time>{new Date(at).toLocaleString()}</time>}
      </p>
      <p
        className={cx(
          'mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]',
          who === 'tool' ? 'font-mono text-meta text-ink-2' : 'text-code',
        )}
      >
        <VisibleText text={text} />
        {isCut ? <span className="text-ink-3"> … (longer in the log)</span> : null}
      </p>
    </article>
  );
}
