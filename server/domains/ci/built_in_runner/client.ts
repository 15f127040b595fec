import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { trusting } from '../../../lib/net/own-certificate.ts'

/** A request to the instance. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Below `/api/v4`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON unless it is bytes or a stream. */
  readonly body?: object | Buffer | Readable
  readonly signal?: AbortSignal | undefined
}

/** What it answered. */
export interface Answered {
  readonly status: number
  header(name: string): string | undefined
  readonly body: Buffer
}

/**
 * Speaks to the instance as every runner does: over HTTP, at its own address. Nothing in the process is reached in any
 * other way, so that jobs of the built-in runner have no more rights than those of others.
 */
export class InstanceClient {
  readonly #base: URL
  readonly #agent: Agent
  readonly #certificate: { readonly pem: string } | undefined

  /** `base` is the address of the instance; over HTTPS it is known by its certificate of the moment, and by nothing else. */
  constructor(base: string, certificate?: { readonly pem: string }) {
    this.#base = new URL(base)
    this.#certificate = certificate
    this.#agent = certificate ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  }

  /** Where it speaks to. */
  get address(): string {
    return this.#base.origin
  }

  /** Sends a request and reads the whole answer. */
  async call(call: Call): Promise<Answered> {
    const response = await this.open(call)
    const body = await buffer(response)
    const header = (name: string): string | undefined => {
      const value = response.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    }
    return { status: response.statusCode!, header, body }
  }

  /** Sends a request; the answer's body is still to be read. */
  open({ method, path, headers = {}, body, signal }: Call): Promise<IncomingMessage> {
    const isJson = body !== undefined && !Buffer.isBuffer(body) && !(body instanceof Readable)
    const payload = isJson ? Buffer.from(JSON.stringify(body)) : body
    const send = this.#certificate ? requestTls : request
    return new Promise((resolve, reject) => {
      const sent = send(new URL(`/api/v4${path}`, this.#base), {
        method,
        agent: this.#agent,
        ...(this.#certificate ? trusting(this.#certificate.pem) : {}),
        headers: {
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...(Buffer.isBuffer(payload) ? { 'content-length': String(payload.length) } : {}),
          ...headers,
        },
        ...(signal ? { signal } : {}),
      })
      sent.on('response', resolve).on('error', reject)
      if (payload instanceof Readable) pipeline(payload, sent).catch(reject)
      else sent.end(payload)
    })
  }

  /** Ends what is open. */
  close(): void {
    this.#agent.destroy()
  }
}
