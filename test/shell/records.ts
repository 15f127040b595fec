import type { MessageBoxOptions } from 'electron'

// Functions that run in the application. They are passed as source text, so they cannot use anything of this file.

type Electron = typeof import('electron')

/** The records that a journey reads: message boxes, and what was opened outside of the application. */
export interface Records {
  readonly boxes: { readonly message: string; readonly detail: string }[]
  readonly opened: string[]
}

interface Stored {
  journey: Records
  originals: { dialog: object; shell: object }
}

/** Stores the functions that journeys replace. */
export function keepOriginals({ dialog, shell }: Electron): void {
  const originals = { dialog: { ...dialog }, shell: { ...shell } }
  Object.assign(globalThis, { originals, journey: { boxes: [], opened: [] } })
}

/** Resets the records of an earlier journey, and shows the window again. */
export function forgetRecords({ app, BrowserWindow, dialog, Menu, Notification, shell }: Electron): void {
  const { originals } = globalThis as unknown as Stored
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

/** Answers all message boxes with a button from now on, and stores their texts. */
export function takeBoxes({ dialog }: Electron, answer: number): void {
  const stored = globalThis as unknown as Partial<Stored>
  const journey = (stored.journey ??= { boxes: [], opened: [] })
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

/** Opens nothing outside of the application from now on, and stores the attempts. */
export function takeOpened({ shell }: Electron): void {
  const stored = globalThis as unknown as Partial<Stored>
  const journey = (stored.journey ??= { boxes: [], opened: [] })
  journey.opened.splice(0)
  shell.openExternal = async (url) => void journey.opened.push(url)
  shell.openPath = async (path) => {
    journey.opened.push(path)
    return ''
  }
}

export function recordsOf(): Records {
  return (globalThis as unknown as Partial<Stored>).journey ?? { boxes: [], opened: [] }
}
