import { EventEmitter } from 'node:events'
import { request, type ClientRequest, type RequestOptions } from 'node:http'

import type {
  Clipboard,
  CookiesSetDetails,
  Dialog,
  MessageBoxOptions,
  Shell as ElectronShell,
  OpenDialogReturnValue,
  SaveDialogReturnValue,
} from 'electron'

import { callPages } from './link.ts'

/** The dialogs of the shell. A journey sets the answers. */
export const dialog = {
  asked: [] as MessageBoxOptions[],
  errors: [] as string[],
  answer: Number(process.env['STAND_IN_ANSWER'] ?? 0),
  folder: undefined as string | undefined,
  file: undefined as string | undefined,
  showErrorBox(title: string, content: string): void {
    dialog.errors.push(`${title}: ${content}`)
    console.error(`[dialog] ${title}: ${content}`)
  },
  showMessageBoxSync(...args: unknown[]): number {
    dialog.asked.push(args.at(-1) as MessageBoxOptions)
    return dialog.answer
  },
  async showMessageBox(...args: unknown[]): Promise<{ response: number; checkboxChecked: boolean }> {
    return { response: dialog.showMessageBoxSync(...args), checkboxChecked: false }
  },
  async showOpenDialog(): Promise<OpenDialogReturnValue> {
    const { folder } = dialog
    return folder === undefined ? { canceled: true, filePaths: [] } : { canceled: false, filePaths: [folder] }
  },
  async showSaveDialog(): Promise<SaveDialogReturnValue> {
    const { file = '' } = dialog
    return { canceled: file === '', filePath: file }
  },
} satisfies Pick<Dialog, 'showErrorBox'> & Record<string, unknown>

export const shell = {
  opened: [] as string[],
  async openExternal(url: string): Promise<void> {
    shell.opened.push(url)
  },
  async openPath(path: string): Promise<string> {
    shell.opened.push(path)
    return ''
  },
  showItemInFolder(path: string): void {
    shell.opened.push(path)
  },
} satisfies Pick<ElectronShell, 'openExternal' | 'openPath' | 'showItemInFolder'> & Record<string, unknown>

let copied = ''
export const clipboard = {
  async writeText(text: string): Promise<void> {
    copied = text
  },
  readText: async () => copied,
} satisfies Pick<Clipboard, 'writeText' | 'readText'>

export const nativeTheme = Object.assign(new EventEmitter(), {
  themeSource: 'system',
  shouldUseDarkColors: false,
})

const workArea = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = Object.assign(new EventEmitter(), { getAllDisplays: () => [{ workArea }] })

/** Linux has no accent color. */
export const systemPreferences = Object.assign(new EventEmitter(), {
  getAccentColor(): string {
    throw new Error('Not on this system.')
  },
})

export const powerMonitor = new EventEmitter()

export const autoUpdater = new EventEmitter()

export const nativeImage = { createFromPath: (path: string) => ({ path }) }

type Decide = (...args: never[]) => unknown

/** The default session. Cookies go to the browser, and handlers are stored for journeys to call. */
class Session extends EventEmitter {
  permissionRequest: Decide | null = null
  permissionCheck: Decide | null = null
  certificateVerify: Decide | null = null
  spellCheckerLanguages: string[] = []
  readonly spellCheckerDictionaryUrls: string[] = []
  isSpellCheckerEnabled = true

  readonly cookies = {
    async set(details: CookiesSetDetails): Promise<void> {
      const { url = '', name = '', value = '', httpOnly = false, secure = false } = details
      const expires = Math.floor(Date.now() / 1000) + 86_400
      await callPages('addCookie', { url, name, value, httpOnly, secure, sameSite: 'Lax', expires })
    },
  }

  setPermissionRequestHandler(handler: Decide | null): void {
    this.permissionRequest = handler
  }

  setPermissionCheckHandler(handler: Decide | null): void {
    this.permissionCheck = handler
  }

  setDevicePermissionHandler(): void {}

  setCertificateVerifyProc(handler: Decide | null): void {
    this.certificateVerify = handler
  }

  setSpellCheckerEnabled(isEnabled: boolean): void {
    this.isSpellCheckerEnabled = isEnabled
  }

  setSpellCheckerDictionaryDownloadURL(url: string): void {
    this.spellCheckerDictionaryUrls.push(url)
  }

  setSpellCheckerLanguages(languages: string[]): void {
    this.spellCheckerLanguages = languages
  }
}

export const session = { defaultSession: new Session(), fromPartition: () => new Session() }

/** Addresses that the main process itself requested. */
export const net = {
  requested: [] as string[],
  request(options: RequestOptions): ClientRequest {
    net.requested.push(`${options.protocol}//${options.hostname}:${options.port}${options.path}`)
    return request(options)
  },
}
