import { EventEmitter } from 'node:events'

import type { IpcMain, IpcMainInvokeEvent } from 'electron'

import { answerTo } from './link.ts'

type Handler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown

class Calls extends EventEmitter implements Pick<IpcMain, 'handle' | 'removeHandler'> {
  readonly #handlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) throw new Error(`There is a handler for "${channel}" already.`)
    this.#handlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  /** Answers a page, as Electron does when a page invokes a channel. */
  async invoke(channel: string, frame: { url: string; parent: unknown }, args: unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel)
    if (!handler) throw new Error(`No handler for "${channel}".`)
    return handler({ senderFrame: frame } as IpcMainInvokeEvent, ...args)
  }
}

export const ipcMain = new Calls()

answerTo('invoke', (channel: string, sender: { url: string; parent: boolean }, args: unknown[]) =>
  ipcMain.invoke(channel, { url: sender.url, parent: sender.parent ? {} : null }, args),
)
