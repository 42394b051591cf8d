import { Kbd } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { COMMANDS, type KeyedCommand } from './keys';

interface KeyLine {
  readonly title: string;
  readonly keys: readonly string[];
}

/** Keys that belong to one place rather than to the whole window. */
const WRITING_KEYS: readonly KeyLine[] = [
  { title: 'Send', keys: ['enter'] },
  { title: 'New line', keys: ['shift+enter'] },
  { title: 'Steer what runs now', keys: ['mod+enter'] },
  { title: 'Earlier prompts, or take back a queued one', keys: ['up'] },
];

/** Keys of the dialogs that ask. */
const ASKING_KEYS: readonly KeyLine[] = [
  { title: 'Allow once', keys: ['enter'] },
  { title: 'Allow always…', keys: ['shift+enter'] },
  { title: 'Edit before allowing', keys: ['mod+e'] },
  { title: 'Deny', keys: ['esc'] },
  { title: 'Deny and say why', keys: ['tab'] },
  { title: 'Next or previous file or question', keys: ['down', 'up'] },
  { title: 'Allow only this file', keys: ['mod+enter'] },
  { title: 'Deny only this file', keys: ['del'] },
];

const GROUPS: readonly KeyedCommand['group'][] = [
  'Sessions',
  'View',
  'While it works',
  'Model and mode',
  'App',
];

/** Every key, by what it is for. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const listed = COMMANDS.filter((c) => c.keys.length > 0 && !/^session[2-9]$/.test(c.id));
  return (
    <Dialog open onOpenChange={onClose} title="Keys" size="lg">
      <div className="columns-1 gap-10 sm:columns-2">
        <KeyGroup heading="Writing" lines={WRITING_KEYS} />
        <KeyGroup heading="When Lathe asks" lines={ASKING_KEYS} />
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
