import type { ServerResponse } from 'node:http'

import { clientDisconnected, type Client } from '../../git/process/locks.ts'

/** The client of a request. Its signal is created on first use. */
export class HttpClient implements Client {
  readonly onlyReads: boolean
  readonly #response: ServerResponse
  #abort: AbortController | undefined

  constructor(method: string, response: ServerResponse) {
    this.onlyReads = method === 'GET' || method === 'HEAD'
    this.#response = response
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const controller = (this.#abort = new AbortController())
      if (hasDisconnected(this.#response)) controller.abort(clientDisconnected())
      else
        this.#response.once('close', () => {
          if (hasDisconnected(this.#response)) controller.abort(clientDisconnected())
        })
    }
    return this.#abort.signal
  }
}

/** True when the connection ended before the answer was complete. */
export function hasDisconnected(response: ServerResponse): boolean {
  return response.closed && !response.writableFinished
}

/** Error codes of streams after the client has disconnected. */
const DISCONNECT_CODES = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** True for an error that only means that the client disconnected, such as during a download. */
export function isDisconnectError(error: unknown, response: ServerResponse): boolean {
  const { code } = error as { code?: unknown }
  return response.destroyed && typeof code === 'string' && DISCONNECT_CODES.has(code)
}
