import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'

import { maskText } from '../masking/names.ts'
import type { RequestRecord } from './record.ts'
import type { Ring } from './ring.ts'
import { BODY_BYTES } from './requests.ts'

/** The maximum size of a file in bytes. Then a new file begins, and the full one replaces the one before it. */
const FILE_BYTES = 16 * 1024 * 1024

/** The switches of the inspector. They outlive restarts and are not part of snapshots. */
export interface Switches {
  readonly recording: boolean
  /** True if requests are also stored on disk. */
  readonly kept: boolean
}

export const OFF: Switches = { recording: false, kept: false }

/** The JSON of a line of a file. */
interface RecordLine extends Omit<RequestRecord, 'body' | 'answer'> {
  readonly body: string | null
  readonly answer: string | null
  /** Milliseconds since 1970. */
  readonly time: number
}

/** Requests on disk: two files of bounded size, and the switches. */
export class RequestFiles {
  readonly #folder: string
  #written: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  readSwitches(): Switches {
    const file = join(this.#folder, 'switches.json')
    if (!existsSync(file)) return OFF
    try {
      const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<Switches>
      return { recording: saved.recording === true, kept: saved.kept === true }
    } catch {
      return OFF
    }
  }

  writeSwitches(switches: Switches): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.#folder, 'switches.json'), `${JSON.stringify(switches)}\n`, { mode: 0o600 })
  }

  /** Appends requests after all earlier writes. Requests that cannot be written are lost. */
  append(records: readonly RequestRecord[], ring: Ring, onError: (error: unknown) => void): void {
    const text = records.map((record) => `${JSON.stringify(lineOf(record, ring))}\n`).join('')
    this.#written = this.#written.then(() => this.#write(text)).catch(onError)
  }

  async #write(text: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = join(this.#folder, 'requests.jsonl')
    if (existsSync(file) && statSync(file).size + text.length > FILE_BYTES)
      renameSync(file, join(this.#folder, 'earlier.jsonl'))
    await appendFile(file, text, { mode: 0o600 })
  }

  /** Reads the stored requests into a ring and skips invalid lines. Returns the highest ID. */
  async read(ring: Ring): Promise<number> {
    let last = 0
    for (const name of ['earlier.jsonl', 'requests.jsonl']) {
      const file = join(this.#folder, name)
      if (!existsSync(file)) continue
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const record = recordOf(line, ring)
        if (!record) continue
        ring.add(record)
        last = Math.max(last, record.id)
      }
    }
    return last
  }

  /** Removes the stored requests. */
  clear(): void {
    this.#written = this.#written.then(() => {
      for (const name of ['earlier.jsonl', 'requests.jsonl'])
        rmSync(join(this.#folder, name), { force: true })
    })
  }

  /** Resolves when everything is written. */
  written(): Promise<void> {
    return this.#written
  }
}

function lineOf(record: RequestRecord, ring: Ring): RecordLine {
  ring.clean(record)
  return {
    ...record,
    time: performance.timeOrigin + record.start,
    body: maskedText(ring.text(record.body)),
    answer: maskedText(ring.text(record.answer)),
  }
}

/** Masks a text, because texts of users may contain tokens. */
function maskedText(text: string | undefined): string | null {
  return text === undefined ? null : maskText(text)
}

function recordOf(text: string, ring: Ring): RequestRecord | undefined {
  try {
    const { body, answer, time, ...rest } = JSON.parse(text) as RecordLine
    if (!Number.isSafeInteger(rest.id) || !Array.isArray(rest.statements) || !Array.isArray(rest.jobs))
      return undefined
    const put = (entry: string | null) =>
      entry === null ? null : ring.arena.put(entry, Buffer.byteLength(entry), BODY_BYTES)
    // `start` counts from the start of this process.
    return {
      ...rest,
      isClean: true,
      state: 'held',
      start: time - performance.timeOrigin,
      body: put(body),
      answer: put(answer),
    }
  } catch {
    return undefined
  }
}
