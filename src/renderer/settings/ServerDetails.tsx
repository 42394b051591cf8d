import type { ServerLogEntry, ServerOffer, ToolServerDetails } from '../../shared/tool-server';
import { cx } from '../ui/css';
import { ScrollArea } from '../ui/ScrollArea';
import { VisibleProse, VisibleText } from '../ui/VisibleText';

/** Shows the offers of a tool server and its log. */
export function ServerDetails({ details }: { readonly details: ToolServerDetails }) {
  const { instructions, tools, prompts, resources, log, printed } = details;
  return (
    <>
      {instructions === '' ? null : (
        <Part title="What it tells the model">
          <ScrollArea label="Instructions" className="max-h-32">
            <p className="text-code whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
              <VisibleProse text={instructions} />
            </p>
          </ScrollArea>
        </Part>
      )}
      <OfferList title="Tools" offers={tools} />
      <OfferList title="Prompts" offers={prompts} />
      <OfferList title="Resources" offers={resources} />
      {printed === '' ? null : (
        <Part title="What it printed last">
          <ScrollArea label="Standard error" className="max-h-40 rounded-sm bg-sunken px-2 py-1">
            <pre className="text-[12px] whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
              <VisibleText text={printed} />
            </pre>
          </ScrollArea>
        </Part>
      )}
      <Part title="Log">
        <LogLines log={log} />
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-meta font-medium text-ink-3">{title}</h3>
      {children}
    </section>
  );
}

function OfferList({
  title,
  offers,
}: {
  readonly title: string;
  readonly offers: readonly ServerOffer[];
}) {
  if (offers.length === 0) return null;
  return (
    <Part title={`${title} (${offers.length})`}>
      <ScrollArea label={title} className="max-h-56">
        <ul className="flex flex-col gap-1">
          {offers.map(({ name, detail }) => (
            <li key={name} className="text-code [overflow-wrap:anywhere]">
              <code className="text-[12.5px]">
                <VisibleText text={name} />
              </code>
              {detail === '' ? null : (
                <span className="block text-meta text-ink-3">
                  <VisibleText text={detail} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </ScrollArea>
    </Part>
  );
}

const TONES: Readonly<Record<ServerLogEntry['level'], string>> = {
  debug: 'text-ink-3',
  info: 'text-ink-3',
  notice: 'text-ink-2',
  warning: 'text-waits',
  error: 'text-failed',
  critical: 'text-failed',
  alert: 'text-failed',
  emergency: 'text-failed',
};

/** The newest line first: what just went wrong is what is looked for. */
function LogLines({ log }: { readonly log: readonly ServerLogEntry[] }) {
  return (
    <ScrollArea label="Lines of the log" className="max-h-56 rounded-sm bg-sunken px-2 py-1">
      <ol className="flex flex-col gap-0.5 text-[12px]">
        {log.toReversed().map(({ at, level, from, text }, index) => (
          <li key={index} className="flex gap-2">
            <time
              className="shrink-0 text-ink-3 tabular-nums"
              dateTime={new Date(at).toISOString()}
            >
              {new Date(at).toLocaleTimeString()}
            </time>
            <span className={cx('w-16 shrink-0', TONES[level])}>{level}</span>
            <span
              className={cx(
                'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]',
                from === 'lathe' && 'text-ink-3',
              )}
            >
              <VisibleText text={text} />
            </span>
          </li>
        ))}
      </ol>
    </ScrollArea>
  );
}
