import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { tlsOptionsFor } from '../../../lib/net/own-certificate.ts'

/** A request to the instance. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** The path below `/api/v4`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body, which is sent as JSON unless it is a buffer or a stream. */
  readonly body?: object | Buffer | Readable
  readonly signal?: AbortSignal | undefined
}

/** The response of the instance. */
export interface InstanceResponse {
  readonly status: number
  header(name: string): string | undefined
  readonly body: Buffer
}

/**
 * The HTTP client of the runner. It uses the runner API at the instance's own address as any other runner does, so jobs
 * of the built-in runner have no additional rights.
 */
export class InstanceClient {
  readonly #base: URL
  readonly #agent: Agent
  readonly #certificate: { readonly pem: string } | undefined

  /** `base` is the address of the instance. Over HTTPS the client trusts only the current certificate of the instance. */
  constructor(base: string, certificate?: { readonly pem: string }) {
    this.#base = new URL(base)
    this.#certificate = certificate
    this.#agent = certificate ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  }

  /** The address of the instance. */
  get address(): string {
    return this.#base.origin
  }

  /** Sends a request and reads the whole answer. */
  async call(call: Call): Promise<InstanceResponse> {
    const response = await this.open(call)
    const body = await buffer(response)
    const header = (name: string): string | undefined => {
      const value = response.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    }
    return { status: response.statusCode!, header, body }
  }

  /** Sends a request. The caller reads the body of the response. */
  open({ method, path, headers = {}, body, signal }: Call): Promise<IncomingMessage> {
    const isJson = body !== undefined && !Buffer.isBuffer(body) && !(body instanceof Readable)
    const payload = isJson ? Buffer.from(JSON.stringify(body)) : body
    const send = this.#certificate ? requestTls : request
    return new Promise((resolve, reject) => {
      const outgoing = send(new URL(`/api/v4${path}`, this.#base), {
        method,
        agent: this.#agent,
        ...(this.#certificate ? tlsOptionsFor(this.#certificate.pem) : {}),
        headers: {
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...(Buffer.isBuffer(payload) ? { 'content-length': String(payload.length) } : {}),
          ...headers,
        },
        ...(signal ? { signal } : {}),
      })
      outgoing.on('response', resolve).on('error', reject)
      if (payload instanceof Readable) pipeline(payload, outgoing).catch(reject)
      else outgoing.end(payload)
    })
  }

  /** Closes open connections. */
  close(): void {
    this.#agent.destroy()
  }
}
