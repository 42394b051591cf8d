import { Kbd } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { COMMANDS, type CommandGroup } from './table';

interface KeyLine {
  readonly title: string;
  readonly keys: readonly string[];
}

const GROUPS: readonly CommandGroup[] = [
  'Writing',
  'When Lathe asks',
  'Sessions',
  'View',
  'Terminal',
  'While it works',
  'Model and mode',
  'App',
];

/** Every key of the table, by group. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const listed = COMMANDS.filter((c) => c.keys.length > 0 && !/^session[2-9]$/.test(c.id));
  return (
    <Dialog open onOpenChange={onClose} title="Keys" size="lg">
      <div className="columns-1 gap-10 sm:columns-2">
        {GROUPS.map((group) => (
          <KeyGroup
            key={group}
            heading={group}
            lines={listed
              .filter((command) => command.group === group)
              .map(({ id, title, keys }) =>
                id === 'session1'
                  ? { title: 'Session 1 … 9 of the list', keys: ['mod+1…9'] }
                  : { title, keys },
              )}
          />
        ))}
      </div>
    </Dialog>
  );
}

function KeyGroup({
  heading,
  lines,
}: {
  readonly heading: string;
  readonly lines: readonly KeyLine[];
}) {
  return (
    <section className="mb-5 break-inside-avoid">
      <h3 className="mb-1 text-meta font-medium text-ink-3">{heading}</h3>
      <dl>
        {lines.map(({ title, keys }) => (
          <div key={title} className="flex min-h-7 items-center gap-3 text-code">
            <dt className="min-w-0 flex-1 text-ink-2">{title}</dt>
            <dd className="flex items-center gap-1.5">
              {keys.map((key) => (
                <Kbd key={key} keys={key} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
