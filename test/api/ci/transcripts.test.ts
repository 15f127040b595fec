import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { world, type Answer, type World } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

// Requests and responses of real runners. Names in braces replace values that differ between instances. The test sends the
// requests to a new instance and expects the same responses.

interface Exchange {
  readonly by: 'runner' | 'person'
  /** Method and path, for example `PATCH /jobs/{id:build}/trace`. */
  readonly request: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Readonly<Record<string, unknown>>
  readonly text?: string
  readonly base64?: string
  readonly answer: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
    /** Name of the job that the response contains. */
    readonly job?: string
    /** The response is the archive that this job uploaded. */
    readonly archiveOf?: string
  }
}

interface Transcript {
  readonly config: string
  readonly infos: readonly unknown[]
  readonly exchanges: readonly Exchange[]
  readonly final: Readonly<Record<string, string>>
}

interface Received extends Pick<Answer, 'status' | 'body'> {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

interface Compared {
  readonly received: object
  readonly expected: object
}

const folder = join(import.meta.dirname, 'transcripts')
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

/** Replays a transcript, and collects the values of its placeholders. */
class Replay {
  readonly #world: World
  readonly #transcript: Transcript
  readonly #known: Map<string, string>
  readonly #archives = new Map<string, Buffer>()
  readonly #taken = new Map<string, number>()

  constructor(w: World, transcript: Transcript, known: Readonly<Record<string, string>>) {
    this.#world = w
    this.#transcript = transcript
    this.#known = new Map(Object.entries(known))
  }

  /** Replaces the placeholders in a value. Jobs that no runner has taken are found by their names. */
  #fill<T>(template: T): T {
    if (Array.isArray(template)) return template.map((item) => this.#fill(item as unknown)) as T
    if (typeof template === 'object' && template !== null)
      return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, this.#fill(value)])) as T
    if (typeof template !== 'string') return template
    const info = /^\{info:(\d+)\}$/.exec(template)
    if (info) return this.#transcript.infos[Number(info[1]) - 1] as T
    return template.replace(/\{([\w:#-]+)\}/g, (_whole, name: string) => this.#lookUp(name)) as T
  }

  #lookUp(name: string): string {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    if (!name.startsWith('id:')) throw new Error(`Nothing is called ${name} yet.`)
    const sql = 'SELECT id FROM ci_jobs WHERE project_id = ? AND name = ? ORDER BY id DESC LIMIT 1'
    const row = this.#world
      .ctx()
      .db.one<{ id: number }>(sql, Number(this.#known.get('project')), name.slice(3))
    return String(row!.id)
  }

  /** Replays one request. */
  async play(exchange: Exchange): Promise<Compared> {
    const body = exchange.base64 === undefined ? undefined : Buffer.from(exchange.base64, 'base64')
    const [method, path] = this.#fill(exchange.request).split(' ') as [string, string]
    const sent =
      exchange.text ?? (exchange.json === undefined ? undefined : JSON.stringify(this.#fill(exchange.json)))
    const headers: Record<string, string> = { ...this.#fill(exchange.headers ?? {}) }
    if (exchange.json !== undefined) headers['content-type'] = 'application/json'
    if (exchange.by === 'person') headers['private-token'] = this.#world.root.token
    const init: RequestInit & { duplex?: 'half' } = { method, headers }
    // Uploads are chunked and have no length.
    if (body) Object.assign(init, { body: new Blob([body]).stream(), duplex: 'half' })
    else if (sent !== undefined) init.body = sent
    const response = await fetch(`${this.#world.url}/api/v4${path}`, init)
    const bytes = Buffer.from(await response.arrayBuffer())
    const text = bytes.toString()
    const answered = Object.fromEntries(response.headers)
    const isJson = answered['content-type']?.includes('json') === true && text !== ''
    const received = {
      status: response.status,
      headers: answered,
      body: isJson ? JSON.parse(text) : text,
      bytes,
    }
    this.#learn(exchange, received)
    const job = /\{id:([^}]+)\}.*artifact_type=archive/.exec(exchange.request)?.[1]
    if (body && job) this.#archives.set(job, fileIn(body))
    return this.#compared(exchange, received)
  }

  #learn({ answer }: Exchange, { headers, body }: Received): void {
    const update = headers['x-gitlab-last-update']
    if (update) this.#known.set('update', update)
    const expected = (answer.body ?? {}) as Record<string, unknown>
    const name = /^\{(\w+)\}$/.exec(String(expected['token']))?.[1]
    if (name && !this.#known.has(name)) this.#known.set(name, body.token)
    if (answer.job === undefined) return
    const count = (this.#taken.get(answer.job) ?? 0) + 1
    this.#taken.set(answer.job, count)
    const key = count === 1 ? answer.job : `${answer.job}#${count}`
    this.#known.set(`id:${key}`, String(body.id))
    this.#known.set(`token:${key}`, body.token)
  }

  /** Returns the response and the expectation in comparable form. */
  #compared({ request, answer }: Exchange, { status, headers, body, bytes }: Received): Compared {
    const archive = this.#archives.get(answer.archiveOf ?? '')
    const job = answer.job === undefined ? {} : { job: answer.job }
    return {
      received: {
        request,
        status,
        headers,
        body,
        job: body?.job_info?.name,
        isArchive: archive?.equals(bytes),
      },
      expected: {
        request,
        status: answer.status,
        headers: this.#fill(answer.headers ?? {}),
        ...(answer.body === undefined ? {} : { body: this.#fill(answer.body) }),
        ...job,
        ...(answer.archiveOf === undefined ? {} : { isArchive: true }),
      },
    }
  }
}

/** Returns the file in a multipart body with one part. */
function fileIn(body: Buffer): Buffer {
  const start = body.indexOf('\r\n\r\n') + 4
  return body.subarray(start, body.lastIndexOf('\r\n--'))
}

describe('transcripts of real runners', () => {
  it.each(names)('%s', async (name) => {
    const transcript = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Transcript
    const w = await world()
    const project = await w.make.project()
    fill(w, project, [{ branch: 'main', files: { '.gitlab-ci.yml': transcript.config, 'README.md': 'x' } }])
    const secret = { key: 'SECRET', value: 'supersecretvalue', masked: true }
    await w.as(w.root).post(`/projects/${project.id}/variables`, secret)
    const replay = new Replay(w, transcript, {
      project: String(project.id),
      registration: project.runners_token,
    })
    for (const exchange of transcript.exchanges) {
      const { received, expected } = await replay.play(exchange)
      expect(received).toMatchObject(expected)
    }
    await w.drain()
    const { body: jobs } = await w.as(w.root).get(`/projects/${project.id}/jobs`)
    const states = jobs.map((job: { name: string; status: string }) => [job.name, job.status])
    expect(Object.fromEntries(states.toReversed())).toEqual(transcript.final)
    const withLogs = jobs.filter((job: { artifacts: { file_type: string }[] }) =>
      job.artifacts.some((file) => file.file_type === 'trace'),
    )
    expect(withLogs.length).toBe(jobs.length)
  })
})
