import { TriangleAlert } from 'lucide-react';
import { VisibleText } from '../ui/VisibleText';
import { type FetchFacts, fetchFacts } from './fetch-facts';

/** The whole address that would be fetched, its host emphasised, and what is unusual about it. */
export function FetchView({
  url,
  prompt,
}: {
  readonly url: string;
  readonly prompt: string | undefined;
}) {
  const facts: FetchFacts = fetchFacts(url);
  return (
    <div>
      <pre className="rounded-md border border-line bg-sunken px-3 py-2.5 text-code whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
        <VisibleText
          text={url}
          padding
          markedClassName="font-semibold text-ink underline decoration-2 underline-offset-4"
          {...(facts.range === null ? {} : { ranges: [facts.range] })}
        />
      </pre>
      {facts.cautions.map((caution) => (
        <p key={caution} className="mt-2 flex items-start gap-1.5 text-code text-waits">
          <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0" />
          {caution}
        </p>
      ))}
      {prompt === undefined ? null : (
        <div className="mt-3">
          <p className="text-meta font-medium text-ink-3">What it is read for</p>
          <p className="text-code text-ink-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={prompt} padding />
          </p>
        </div>
      )}
    </div>
  );
}
