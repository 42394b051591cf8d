import { GitFork } from 'lucide-react';
import { Fragment, useEffect, useState } from 'react';
import type { Fault } from '../../shared/result';
import {
  MAX_SEARCH,
  ORIGIN_NAMES,
  type SearchAnswer,
  type SearchHit,
} from '../../shared/session-search';
import { searchSessions } from '../store/search';
import { useLathe } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { plural } from '../ui/format';
import { Notice } from '../ui/Notice';
import { PlainName, VisibleText } from '../ui/VisibleText';
import { folderName, titleOf } from './group-sessions';

/** The state of a search in the conversations. */
export interface SearchState {
  readonly answer: SearchAnswer | null;
  readonly fault: Fault | null;
}

const NOTHING: SearchState = { answer: null, fault: null };

/** A search begins when nothing was typed for this time. Milliseconds. */
const PAUSE_MS = 150;

/** Searches all conversations for a text while it is not empty. The findings of before stay until there are new ones. */
export function useSearch(text: string): SearchState {
  const lathe = useLathe();
  const [state, setState] = useState(NOTHING);
  const wanted = text.trim() === '' ? '' : text.slice(0, MAX_SEARCH);
  useEffect(() => {
    if (wanted === '') {
      setState(NOTHING);
      return;
    }
    const stop = new AbortController();
    const search = async () => {
      const searched = await searchSessions(lathe, wanted, stop.signal, (answer) =>
        setState({ answer, fault: null }),
      );
      if (!searched.ok && !stop.signal.aborted) setState({ answer: null, fault: searched.error });
    };
    const timer = setTimeout(search, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [lathe, wanted]);
  return state;
}

/** Lists what was said in conversations, by session, with the words that were searched for. */
export function SearchHits({
  state: { answer, fault },
  project,
  onShow,
  onFork,
}: {
  readonly state: SearchState;
  /** The project on screen; hits of others name theirs. */
  readonly project: string;
  readonly onShow: (hit: SearchHit) => void;
  /** Makes a session of what was there up to the finding. */
  readonly onFork: (hit: SearchHit) => void;
}) {
  const hits = answer?.hits ?? [];
  return (
    <div className="pb-2">
      <h3 className="px-2 pt-3 pb-1 text-meta font-medium text-ink-3 select-none">
        In conversations
      </h3>
      {fault === null ? null : (
        <Notice level="error" title={fault.message}>
          {fault.fix}
        </Notice>
      )}
      {hits.map((hit, at) => (
        <Fragment key={`${hit.sessionId} ${hit.itemId}`}>
          {hits[at - 1]?.sessionId === hit.sessionId ? null : (
            <p className="flex px-2 pt-2 text-meta font-medium text-ink-2" title={titleOf(hit)}>
              <span dir="auto" className="truncate">
                {titleOf(hit)}
                {hit.project === project ? null : (
                  <span className="font-normal text-ink-3"> · {folderName(hit.project)}</span>
                )}
              </span>
              {hit.other === undefined ? null : (
                <span className="shrink-0 font-normal whitespace-pre text-ink-3">
                  {` · ${ORIGIN_NAMES[hit.other.origin]}`}
                </span>
              )}
            </p>
          )}
          <div className="group flex items-start rounded-md hover:bg-hover">
            <button
              type="button"
              data-session-row
              onClick={() => onShow(hit)}
              className="min-w-0 flex-1 px-2 py-1 text-left text-meta leading-snug text-ink-2"
            >
              <span className="sr-only">{WHO[hit.who]}: </span>
              <Snippet hit={hit} />
            </button>
            <IconButton
              icon={GitFork}
              label="Fork from here"
              onClick={() => onFork(hit)}
              className="mt-1 mr-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
            />
          </div>
        </Fragment>
      ))}
      {fault === null ? (
        <p role="status" className="px-2 py-1 text-meta text-ink-3">
          {statusOf(answer)}
        </p>
      ) : null}
      {answer?.note == null ? null : (
        <p className="px-2 py-1 text-meta text-ink-3 [overflow-wrap:anywhere]">{answer.note}</p>
      )}
    </div>
  );
}

/** The words around what was found. What people and models wrote reads as its script does. */
function Snippet({ hit: { who, snippet } }: { readonly hit: SearchHit }) {
  const Words = who === 'tool' ? VisibleText : PlainName;
  return (
    <span dir="auto" className="line-clamp-2 text-start [overflow-wrap:anywhere]">
      {snippet.map(({ text, found }, part) =>
        found ? (
          <mark key={part} className="rounded-sm bg-selected font-medium text-ink">
            <Words text={text} />
          </mark>
        ) : (
          <Words key={part} text={text} />
        ),
      )}
    </span>
  );
}

const WHO: Readonly<Record<SearchHit['who'], string>> = {
  user: 'You',
  assistant: 'Answer',
  tool: 'Tool',
};

/** Says how far a search is; empty when there is nothing to say. */
function statusOf(answer: SearchAnswer | null): string {
  if (answer === null) return 'Searching…';
  const { progress, hits, more } = answer;
  if (progress !== null)
    return `Reading the sessions: ${progress.done} of ${progress.total} so far…`;
  if (hits.length === 0)
    return 'No conversation has that. Of a message only the first million characters are searched.';
  return more ? `The newest ${plural(sessionsIn(hits), 'session')} that have it.` : '';
}

const sessionsIn = (hits: readonly SearchHit[]): number =>
  new Set(hits.map(({ sessionId }) => sessionId)).size;
