import { FileText, Paperclip, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { attachmentName, imageUrl, type PromptAttachment } from '../store/attachments';
import { Button, IconButton } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { TextArea } from '../ui/Fields';

type PasteAttachment = Extract<PromptAttachment, { kind: 'paste' }>;
type ImageAttachment = Extract<PromptAttachment, { kind: 'image' }>;

/** The attachments of a draft as chips: each can be opened and removed. */
export function AttachmentList({
  attached,
  onChange,
  onBackToText,
}: {
  readonly attached: readonly PromptAttachment[];
  readonly onChange: (attached: readonly PromptAttachment[]) => void;
  /** Puts a pasted text into the message itself. */
  readonly onBackToText: (text: string) => void;
}) {
  const [openAt, setOpenAt] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const remove = (at: number) => {
    onChange(attached.filter((_, index) => index !== at));
    // The chip that had the focus is gone: the one in its place takes it, or the one before, or the message box.
    const place = Math.min(at, attached.length - 2);
    const next = list.current?.querySelectorAll<HTMLElement>('[data-chip]')[place];
    (next ?? document.querySelector<HTMLElement>('[data-focus-home]'))?.focus();
  };
  const open = openAt === null ? undefined : attached[openAt];
  return (
    <>
      <ul
        ref={list}
        aria-label="Attachments"
        className="-order-1 flex max-h-[min(30cqh,180px)] min-h-11 flex-wrap gap-1.5 overflow-y-auto px-2 pt-2 pb-0.5"
      >
        {attached.map((one, at) => {
          const name = attachmentName(one);
          return (
            <li
              key={at}
              className="flex h-9 max-w-64 items-center rounded-md border border-line bg-sunken pr-0.5 text-meta text-ink-2"
            >
              <button
                type="button"
                data-chip
                aria-label={`Open ${name}`}
                onClick={() => setOpenAt(at)}
                onKeyDown={(event) => {
                  if (event.key !== 'Delete' && event.key !== 'Backspace') return;
                  event.preventDefault();
                  remove(at);
                }}
                className="flex h-full min-w-0 items-center gap-2 rounded-md pr-1 pl-1 hover:text-ink"
              >
                {one.kind === 'image' ? (
                  <img
                    src={imageUrl(one)}
                    alt=""
                    className="size-7 shrink-0 rounded-sm border border-line object-cover"
                  />
                ) : (
                  <FileText size={14} aria-hidden className="ml-1 shrink-0 text-ink-3" />
                )}
                <span className="truncate">{name}</span>
              </button>
              <IconButton icon={X} size="xs" label={`Remove ${name}`} onClick={() => remove(at)} />
            </li>
          );
        })}
      </ul>
      {openAt === null || open === undefined ? null : open.kind === 'image' ? (
        <ImageDialog image={open} onClose={() => setOpenAt(null)} />
      ) : (
        <PasteDialog
          paste={open}
          onClose={() => setOpenAt(null)}
          onSave={(text) => {
            const next = attached.flatMap((one, at): readonly PromptAttachment[] => {
              if (at !== openAt) return [one];
              return text.trim() === '' ? [] : [{ ...open, text }];
            });
            onChange(next);
            setOpenAt(null);
          }}
          onBackToText={(text) => {
            onChange(attached.filter((_, at) => at !== openAt));
            onBackToText(text);
            setOpenAt(null);
          }}
        />
      )}
    </>
  );
}

function ImageDialog({
  image,
  onClose,
}: {
  readonly image: ImageAttachment;
  readonly onClose: () => void;
}) {
  return (
    <Dialog open onOpenChange={onClose} title={image.name} size="lg">
      <img
        src={imageUrl(image)}
        alt={image.name}
        className="mx-auto max-h-[60vh] max-w-full object-contain"
      />
    </Dialog>
  );
}

function PasteDialog({
  paste,
  onClose,
  onSave,
  onBackToText,
}: {
  readonly paste: PasteAttachment;
  readonly onClose: () => void;
  readonly onSave: (text: string) => void;
  readonly onBackToText: (text: string) => void;
}) {
  const [text, setText] = useState(paste.text);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={paste.name ?? 'Pasted text'}
      description="It goes with the message as one block."
      size="lg"
      footer={
        <>
          <Button variant="ghost" onClick={() => onBackToText(text)}>
            Put into the message
          </Button>
          <Button variant="primary" onClick={() => onSave(text)}>
            Save
          </Button>
        </>
      }
    >
      <TextArea label="Text" value={text} onChange={setText} rows={16} mono />
    </Dialog>
  );
}

/** A button that chooses images and text files from the disk. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={Paperclip}
        label="Attach images or text files"
        size="md"
        onClick={() => field.current?.click()}
      />
      <input
        ref={field}
        type="file"
        hidden
        multiple
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
