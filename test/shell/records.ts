import type { MessageBoxOptions } from 'electron'

// Functions that run in the application, by their source: they use nothing of this file.

type Electron = typeof import('electron')

/** What a journey reads of an application: boxes of the system and what was opened elsewhere. */
export interface Records {
  readonly boxes: { readonly message: string; readonly detail: string }[]
  readonly opened: string[]
}

interface Kept {
  journey: Records
  originals: { dialog: object; shell: object }
}

/** Keeps the functions that journeys replace. */
export function keepOriginals({ dialog, shell }: Electron): void {
  const originals = { dialog: { ...dialog }, shell: { ...shell } }
  Object.assign(globalThis, { originals, journey: { boxes: [], opened: [] } })
}

/** Forgets what an earlier journey did, and brings the window back. */
export function forgetRecords({ app, BrowserWindow, dialog, Menu, Notification, shell }: Electron): void {
  const { originals } = globalThis as unknown as Kept
  Object.assign(dialog, originals.dialog)
  Object.assign(shell, originals.shell)
  Object.assign(globalThis, { journey: { boxes: [], opened: [] } })
  type Lists = Record<string, unknown[] | undefined>
  for (const list of [
    (dialog as unknown as Lists)['asked'],
    (shell as unknown as Lists)['opened'],
    (Notification as unknown as Lists)['shown'],
  ])
    list?.splice(0)
  Object.assign(Menu, { lastPopup: null })
  if (BrowserWindow.getAllWindows().length === 0) app.emit('activate')
}

/** Answers all message boxes with a button from now on, and keeps what they said. */
export function takeBoxes({ dialog }: Electron, answer: number): void {
  const kept = globalThis as unknown as Partial<Kept>
  const journey = (kept.journey ??= { boxes: [], opened: [] })
  journey.boxes.splice(0)
  const take = (args: unknown[]) => {
    const { message, detail = '' } = args.at(-1) as MessageBoxOptions
    journey.boxes.push({ message, detail })
    return answer
  }
  dialog.showMessageBox = (...args: unknown[]) =>
    Promise.resolve({ response: take(args), checkboxChecked: false })
  dialog.showMessageBoxSync = (...args: unknown[]) => take(args)
}

/** Opens nothing outside of the application from now on, and keeps what was to be opened. */
export function takeOpened({ shell }: Electron): void {
  const kept = globalThis as unknown as Partial<Kept>
  const journey = (kept.journey ??= { boxes: [], opened: [] })
  journey.opened.splice(0)
  shell.openExternal = async (url) => void journey.opened.push(url)
  shell.openPath = async (path) => {
    journey.opened.push(path)
    return ''
  }
}

export function recordsOf(): Records {
  return (globalThis as unknown as Partial<Kept>).journey ?? { boxes: [], opened: [] }
}
